import EventLoop
import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// The pool's behaviour when the server fails.
@Suite(.mayBlock) struct PostgresFailureTests {
    private static let insert = PostgresStatement(
        name: "insert_run", sql: "insert into runs (id) values ($1::bigint)")

    @Test func `after kill -9 of the server nothing hangs, is lost after acknowledgement, or runs twice`()
        async throws
    {
        let postgres = try EphemeralPostgres(fsync: true)
        defer { postgres.remove() }
        let server = postgres.server
        try PostgresSession(url: server.url()).execute("create table runs (id bigint not null)")
        let tally = try await withPool(server.url()) { pool, loop async throws in
            let tally = Tally()
            let writers = (0..<32).map { writer in
                loop.spawn {
                    var round = 0
                    while !tally.isOver {
                        let id = round * 32 + writer
                        round += 1
                        let failure = await pool.failure(Self.insert, [.int(id)], lane: .writes)
                        tally.note(id, failure)
                        if failure != nil { try? await loop.sleep(for: .milliseconds(5)) }
                    }
                }
            }
            for _ in 1...2 {
                tally.mark()
                while !tally.hasSucceededSinceMark { try await loop.sleep(for: .milliseconds(5)) }
                try await loop.sleep(for: .milliseconds(400))
                kill(try #require(server.processID), SIGKILL)
                // Backends of a dead postmaster end when they next wait for a statement.
                while pool.status(of: .writes).connected > 0 { try await loop.sleep(for: .milliseconds(5)) }
                #expect(pool.status(of: .writes).lastFailure != nil)
                try await Task.detached { try server.start() }.value
                tally.mark()
                while !tally.hasSucceededSinceMark { try await loop.sleep(for: .milliseconds(5)) }
            }
            tally.isOver = true
            for writer in writers { await writer.value }
            return tally
        }
        #expect(tally.unavailable > 0)
        #expect(tally.other == 0)
        let rows = try PostgresSession(url: server.url()).query("select id, count(*) from runs group by id")
        let runs = Dictionary(uniqueKeysWithValues: (0..<rows.rowCount).map { (rows.int($0, 0)!, rows.int($0, 1)!) })
        #expect(runs.values.allSatisfy { $0 == 1 })
        #expect(tally.acknowledged.allSatisfy { runs[$0] == 1 })
    }

    @Test func `a backend that stops answering is dropped a second after the deadline and replaced`() async throws {
        let postgres = try EphemeralPostgres()
        defer { postgres.remove() }
        let process = PostgresStatement(name: "process", sql: "select pg_backend_pid()")
        try await withPool(postgres.server.url(), lanes: .narrow) { pool, loop async throws in
            let first = try #require(try await pool.query(process, []).int(0, 0))
            kill(pid_t(first), SIGSTOP)
            defer { kill(pid_t(first), SIGKILL) }
            async let stuck = pool.failure(process, deadline: .milliseconds(200))
            async let behind = pool.failure(process, deadline: .seconds(600))
            #expect(await stuck?.isTimedOut == true)
            // Long before its own deadline.
            #expect(await behind?.isUnavailable == true)
            while pool.status(of: .reads).connected == 0 { try await loop.sleep(for: .milliseconds(5)) }
            #expect(try await pool.query(process, []).int(0, 0) != first)
        }
    }

    @Test func `the loss of one connection does not affect the others`() async throws {
        var lanes = PostgresLanes.narrow
        lanes.reads.connections = 2
        let url = try sharedServer.get().server.url()
        let process = PostgresStatement(name: "process", sql: "select pg_backend_pid()")
        try await withPool(url, lanes: lanes) { pool, loop async throws in
            let first = try #require(try await pool.query(process, []).int(0, 0))
            try PostgresSession(url: url).execute("select pg_terminate_backend(\(first))")
            while pool.status(of: .reads).connected == 2 { try await loop.sleep(for: .milliseconds(1)) }
            #expect(try await pool.query(process, []).int(0, 0) != first)
            while pool.status(of: .reads).connected < 2 { try await loop.sleep(for: .milliseconds(5)) }
        }
    }

    @Test func `without a server, requests fail within the start-up second, and later at once`() async throws {
        let url = "postgresql:///x?host=/nowhere"
        try await withPool(url, lanes: .narrow, awaitsConnections: false) { pool, _ async throws in
            let echo = PostgresStatement(name: "echo", sql: "select 1")
            // Long before their deadlines.
            #expect(await pool.failure(echo, deadline: .seconds(600))?.isUnavailable == true)
            #expect(await pool.failure(echo, deadline: .seconds(600))?.isUnavailable == true)
            #expect(!pool.isReady)
        }
    }
}

/// The writers' observations.
///
/// `@unchecked Sendable`: used on the loop's thread, and by the test after the writers have ended.
private final class Tally: @unchecked Sendable {
    var isOver = false
    private(set) var acknowledged: Set<Int> = []
    private(set) var unavailable = 0
    private(set) var other = 0
    private var acknowledgedAtMark = 0

    func note(_ id: Int, _ failure: PostgresError?) {
        guard let failure else {
            acknowledged.insert(id)
            return
        }
        if failure.isUnavailable { unavailable += 1 } else { other += 1 }
    }

    func mark() { acknowledgedAtMark = acknowledged.count }
    var hasSucceededSinceMark: Bool { acknowledged.count > acknowledgedAtMark }
}
