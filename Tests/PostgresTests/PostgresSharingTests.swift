import EventLoop
import Foundation
import LocalPostgres
import Postgres
import Testing

/// Statements that write nothing and share a transaction, on one connection.
@Suite struct PostgresSharingTests {
    private static let began = PostgresStatement(name: "began", sql: "select now()::text", isShareable: true)
    private static let divide = PostgresStatement(name: "divide", sql: "select 12 / $1::int", isShareable: true)
    private static let set = PostgresStatement(
        name: "set", sql: "select set_config('kith.tenant_id', $1, true)", isShareable: true)
    private static let seen = PostgresStatement(
        name: "seen", sql: "select coalesce(current_setting('kith.tenant_id', true), '')")

    private var url: String { get throws { try sharedServer.get().server.url() } }

    /// One connection of the lane, four statements at most in a transaction.
    private var lanes: PostgresLanes {
        var lanes = PostgresLanes.narrow
        lanes.reads.statementsPerTransaction = 4
        return lanes
    }

    /// Asks all at once and gives the answers in the order of the questions.
    private static func ask(
        _ pool: PostgresPool, _ questions: [(PostgresStatement, [PostgresValue])]
    ) async -> [Result<String, PostgresError>] {
        await withTaskGroup(of: (Int, Result<String, PostgresError>).self) { group in
            for (place, (statement, values)) in questions.enumerated() {
                group.addTask {
                    do throws(PostgresError) {
                        return (place, .success(try await pool.query(statement, values).string(0, 0) ?? ""))
                    } catch {
                        return (place, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }.sorted { $0.key < $1.key }.map(\.value)
    }

    @Test func `those of one turn share transactions, of so many statements as may`() async throws {
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            // The first one prepares, and is alone.
            let first = try await pool.query(Self.began, []).string(0, 0)
            let times = try await Self.ask(pool, Array(repeating: (Self.began, []), count: 8)).map { try $0.get() }
            #expect(Set(times).count == 2)
            #expect(!times.contains(first ?? ""))
            #expect(Set(times.prefix(4)).count == 1)
        }
    }

    @Test func `one that is refused takes nobody with it`() async throws {
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            _ = try await pool.query(Self.divide, [.int(1)])
            for refused in 0..<4 {
                let answers = await Self.ask(pool, (0..<4).map { (Self.divide, [.int($0 == refused ? 0 : $0 + 1)]) })
                for (place, answer) in answers.enumerated() {
                    switch answer {
                    case .success(let text): #expect(text == String(12 / (place + 1)) && place != refused)
                    case .failure(let error): #expect(error.sqlState?.rawValue == "22012" && place == refused)
                    }
                }
            }
            // Every one of many is refused, and hears so itself.
            let all = await Self.ask(pool, Array(repeating: (Self.divide, [.int(0)]), count: 50))
            for case .success(let text) in all { Issue.record("12 / 0 is \(text)") }
            #expect(pool.status(of: .reads).inFlight == 0)
        }
    }

    @Test func `one that has not said that it may shares with nobody, and sees nobody's settings`() async throws {
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            for _ in 1...3 {
                let answers = await Self.ask(
                    pool, [(Self.set, [.text("7")]), (Self.seen, []), (Self.set, [.text("8")]), (Self.seen, [])])
                #expect(try answers.map { try $0.get() } == ["7", "", "8", ""])
            }
        }
    }

    @Test func `none writes, whatever it says`() async throws {
        let url = try makeDatabase("shared_reads")
        try PostgresSession(url: url).execute("create table things (a int)")
        let insert = PostgresStatement(
            name: "insert", sql: "insert into things values (1) returning a", isShareable: true)
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            #expect(await pool.failure(insert)?.sqlState?.rawValue == "25006")
            #expect(await pool.failure(insert, lane: .writes) == nil)
            #expect(try PostgresSession(url: url).query("select count(*)::int from things").int(0, 0) == 1)
        }
    }

    @Test func `one that a schema change has made stale is prepared again by the next`() async throws {
        let url = try makeDatabase("shared_stale")
        let session = try PostgresSession(url: url)
        try session.execute("create table things (a text); insert into things values ('x')")
        let all = PostgresStatement(name: "all", sql: "select * from things", isShareable: true)
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            _ = try await pool.query(all, [])
            try PostgresSession(url: url).execute("alter table things add column b text")
            let answers = await Self.ask(pool, Array(repeating: (all, []), count: 4))
            // The first is refused; those behind it in its transaction have not run, and run now.
            guard case .failure(let error) = answers[0] else {
                Issue.record("the first statement was not refused")
                return
            }
            #expect(error.sqlState == .featureNotSupported)
            #expect(try answers.dropFirst().map { try $0.get() } == ["x", "x", "x"])
            #expect(try await pool.query(all, []).columnCount == 2)
        }
    }

    @Test func `a connection that is lost fails all of a transaction, and none is sent again`() async throws {
        let end = PostgresStatement(
            name: "end", sql: "select pg_terminate_backend(pg_backend_pid())::text", isShareable: true)
        try await withPool(url, lanes: lanes) { pool, loop async throws in
            _ = try await pool.query(Self.divide, [.int(1)])
            #expect(await pool.failure(end)?.isUnavailable == true)
            while !pool.isReady { try await loop.sleep(for: .milliseconds(5)) }
            _ = try await pool.query(Self.divide, [.int(1)])
            let answers = await Self.ask(
                pool, [(Self.divide, [.int(2)]), (end, []), (Self.divide, [.int(3)]), (Self.divide, [.int(4)])])
            for answer in answers.dropFirst() {
                guard case .failure = answer else {
                    Issue.record("answered by a connection that was gone")
                    continue
                }
            }
            while !pool.isReady { try await loop.sleep(for: .milliseconds(5)) }
            #expect(try await pool.query(Self.divide, [.int(6)]).string(0, 0) == "2")
        }
    }

    @Test func `those that are under way are answered before a pool has drained`() async throws {
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            _ = try await pool.query(Self.divide, [.int(1)])
            async let answers = Self.ask(pool, Array(repeating: (Self.divide, [.int(3)]), count: 10))
            await pool.drain()
            for answer in await answers {
                if case .failure(let error) = answer { #expect(error.isUnavailable) }
            }
            #expect(pool.status(of: .reads).inFlight == 0)
        }
    }
}
