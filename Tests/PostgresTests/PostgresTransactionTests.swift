import EventLoop
import Glibc
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A PostgreSQL transaction` {
    private static let insert = PostgresStatement(name: "insert", sql: "insert into notes values ($1::int)")
    private static let count = PostgresStatement(name: "count", sql: "select count(*)::int from notes")
    private static let sleep = PostgresStatement(name: "sleep", sql: "select pg_sleep($1::int / 1000.0)")
    private static let backend = PostgresStatement(name: "backend", sql: "select pg_backend_pid()")
    private static let kill = PostgresStatement(name: "kill", sql: "select pg_terminate_backend($1::int)")
    private static let wrong = PostgresStatement(name: "wrong", sql: "select 1 / $1::int")

    /// A database with an empty table `notes` of unique numbers.
    private func database(_ name: String) throws -> String {
        let url = try makeDatabase(name)
        try PostgresSession(url: url).execute("create table notes (n int primary key)")
        return url
    }

    private func lanes(connections: Int) -> PostgresLanes {
        var lanes = PostgresLanes.patient
        lanes.transactions.connections = connections
        return lanes
    }

    @Test func `commits when its body returns`() async throws {
        try await withPool(try database("transaction_commits"), lanes: lanes(connections: 1)) { pool, _ async throws in
            let seen = try await pool.transaction { transaction async throws(PostgresError) in
                _ = try await transaction.query(Self.insert, [.int(1)])
                _ = try await transaction.query(Self.insert, [.int(2)])
                return try await transaction.query(Self.count).int(0, 0)
            }
            #expect(seen == 2)
            #expect(try await pool.query(Self.count, []).int(0, 0) == 2)
            #expect(!(pool.status(of: .transactions).inFlight > 0))
        }
    }

    @Test func `rolls back when a statement is refused, and the next one works`() async throws {
        try await withPool(try database("transaction_undoes"), lanes: lanes(connections: 1)) { pool, _ async throws in
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.int(1)])
                    _ = try await transaction.query(Self.insert, [.int(1)])
                }
            }
            #expect(try await pool.query(Self.count, []).int(0, 0) == 0)
            try await pool.transaction { transaction async throws(PostgresError) in
                _ = try await transaction.query(Self.insert, [.int(1)])
            }
            #expect(try await pool.query(Self.count, []).int(0, 0) == 1)
        }
    }

    @Test func `does not commit if its body ignores a refusal`() async throws {
        try await withPool(try database("transaction_refused"), lanes: lanes(connections: 1)) { pool, _ async throws in
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.int(1)])
                    _ = try? await transaction.query(Self.wrong, [.int(0)])
                }
            }
            #expect(try await pool.query(Self.count, []).int(0, 0) == 0)
        }
    }

    @Test func `has its connection to itself, and the next one waits for it`() async throws {
        try await withPool(try database("transaction_alone"), lanes: lanes(connections: 1)) { pool, loop async throws in
            let first = loop.spawn {
                try? await pool.transaction { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.int(1)])
                    _ = try await transaction.query(Self.sleep, [.int(500)])
                }
            }
            while pool.status(of: .transactions).inFlight == 0 { try await loop.sleep(for: .milliseconds(2)) }
            let seen = try await pool.transaction { transaction async throws(PostgresError) in
                try await transaction.query(Self.count).int(0, 0)
            }
            #expect(seen == 1)
            await first.value
        }
    }

    @Test func `is lost with its connection and never runs again`() async throws {
        try await withPool(try database("transaction_lost"), lanes: lanes(connections: 1)) { pool, loop async throws in
            var error: PostgresError?
            do throws(PostgresError) {
                try await pool.transaction { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.int(1)])
                    let pid = try await transaction.query(Self.backend).int(0, 0) ?? 0
                    _ = try await pool.query(Self.kill, [.int(pid)])
                    _ = try await transaction.query(Self.insert, [.int(2)])
                }
            } catch let failure { error = failure }
            #expect(error != nil)
            while pool.status(of: .transactions).connected == 0 { try await loop.sleep(for: .milliseconds(5)) }
            #expect(try await pool.query(Self.count, []).int(0, 0) == 0)
            try await pool.transaction { transaction async throws(PostgresError) in
                _ = try await transaction.query(Self.insert, [.int(1)])
            }
        }
    }

    @Test func `that takes too long is given up, and releases its locks`() async throws {
        try await withPool(try database("transaction_late"), lanes: lanes(connections: 1)) { pool, loop async throws in
            var error: PostgresError?
            do throws(PostgresError) {
                try await pool.transaction(deadline: .milliseconds(100)) { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.int(1)])
                    _ = try await transaction.query(Self.sleep, [.int(2000)])
                }
            } catch let failure { error = failure }
            #expect(error?.isTimedOut == true)
            while pool.status(of: .transactions).connected == 0 { try await loop.sleep(for: .milliseconds(5)) }
            #expect(try await pool.query(Self.count, []).int(0, 0) == 0)
        }
    }

    @Test func `is waited for when the pool drains`() async throws {
        let url = try database("transaction_drains")
        try await withPool(url, lanes: lanes(connections: 1)) { pool, loop async throws in
            let under = loop.spawn {
                try? await pool.transaction { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.insert, [.int(1)])
                    _ = try await transaction.query(Self.sleep, [.int(500)])
                }
            }
            while pool.status(of: .transactions).inFlight == 0 { try await loop.sleep(for: .milliseconds(2)) }
            await pool.drain()
            await under.value
        }
        #expect(try PostgresSession(url: url).query("select count(*) from notes").int(0, 0) == 1)
    }

    @Test func `costs its connection once if the loop stood still past its deadline`() async throws {
        let url = try database("transaction_stalls")
        try await withPool(url, lanes: lanes(connections: 1)) { pool, loop async throws in
            let under = loop.spawn {
                try? await pool.transaction(deadline: .milliseconds(50)) { transaction async throws(PostgresError) in
                    _ = try await transaction.query(Self.sleep, [.int(20_000)])
                }
            }
            while pool.status(of: .transactions).inFlight == 0 { try await loop.sleep(for: .milliseconds(2)) }
            // As when the machine is suspended: by the next tick the transaction is late, and its connection is silent
            // as well.
            usleep(1_500_000)
            await under.value
            // Longer than the first waits to connect again: a second one would find the connection there.
            try await loop.sleep(for: .milliseconds(500))
            while pool.status(of: .transactions).isIncomplete { try await loop.sleep(for: .milliseconds(5)) }
            try await pool.transaction { transaction async throws(PostgresError) in
                _ = try await transaction.query(Self.insert, [.int(1)])
            }
            #expect(try await pool.query(Self.count, []).int(0, 0) == 1)
        }
    }

    @Test func `is refused if the lane has no connections`() async throws {
        try await withPool(try database("transaction_none"), lanes: lanes(connections: 0)) { pool, _ async throws in
            #expect(pool.isReady)
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { _ async throws(PostgresError) in }
            }
        }
    }
}
