import EventLoop
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct PostgresPoolTests {
    private static let echo = PostgresStatement(name: "echo", sql: "select $1::int")
    private static let sleep = PostgresStatement(name: "sleep", sql: "select pg_sleep($1::int / 1000.0)")
    private static let divide = PostgresStatement(name: "divide", sql: "select 1 / $1::int")

    private var url: String { get throws { try sharedServer.get().server.url() } }

    @Test func `a thousand concurrent queries return to their callers`() async throws {
        try await withPool(url) { pool, _ async throws in
            try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
                for number in 0..<1000 {
                    group.addTask {
                        let lane: PostgresLane = number.isMultiple(of: 2) ? .reads : .writes
                        return (number, try await pool.query(Self.echo, [.int(number)], lane: lane).int(0, 0))
                    }
                }
                var count = 0
                for try await (asked, answered) in group {
                    #expect(asked == answered)
                    count += 1
                }
                #expect(count == 1000)
            }
            #expect(pool.status(of: .reads).inFlight == 0)
        }
    }

    @Test func `requests made before the first connection is open are answered`() async throws {
        // They wait for only a second: on a busy machine the server may take longer to accept a connection.
        var answer: Int?
        for _ in 0..<20 where answer == nil {
            answer = try await withPool(url, lanes: .narrow, awaitsConnections: false) { pool, _ async throws in
                #expect(pool.status(of: .reads).connected == 0)
                return try? await pool.query(Self.echo, [.int(5)]).int(0, 0)
            }
        }
        #expect(answer == 5)
    }

    @Test func `a pool is ready once every lane has a connection`() async throws {
        try await withPool(url, lanes: .narrow, awaitsConnections: false) { pool, loop async throws in
            #expect(!pool.isReady)
            while !pool.isReady { try await loop.sleep(for: .milliseconds(5)) }
            for lane in PostgresLane.allCases {
                let status = pool.status(of: lane)
                #expect(status.connections == 1)
                #expect(status.connected == 1)
                #expect(status.lastFailure == nil)
            }
        }
    }

    @Test func `an error does not affect its neighbours in the pipeline`() async throws {
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            let outcomes = await withTaskGroup(of: (Int, PostgresError?).self) { group in
                for number in 0..<100 {
                    group.addTask { (number, await pool.failure(Self.divide, [.int(number % 3)])) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1?.sqlState?.rawValue ?? "none" }
            }
            for number in 0..<100 { #expect(outcomes[number] == (number % 3 == 0 ? "22012" : "none")) }
        }
    }

    @Test func `a statement is prepared once on each connection`() async throws {
        let list = PostgresStatement(
            name: "list", sql: "select count(*)::int from pg_prepared_statements where name like 'counted.%'")
        let counted = PostgresStatement(name: "counted", sql: "select $1::text")
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { _ = await pool.failure(counted, [.text("x")]) } }
            }
            #expect(try await pool.query(list, []).int(0, 0) == 1)
        }
    }

    @Test func `a statement that cannot be prepared fails alone, each time`() async throws {
        let wrong = PostgresStatement(name: "wrong", sql: "select * from no_such_table")
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            async let first = pool.failure(wrong)
            async let neighbour = pool.query(Self.echo, [.int(7)])
            #expect(await first?.sqlState == .undefinedTable)
            #expect(try await neighbour.int(0, 0) == 7)
            #expect(await pool.failure(wrong)?.sqlState == .undefinedTable)
        }
    }

    @Test func `a statement that could not be prepared runs once it can be`() async throws {
        let url = try makeDatabase("later")
        let count = PostgresStatement(name: "count", sql: "select count(*)::int from later")
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            // On the one connection: the first fails to prepare, and the one behind the sleep finds nothing prepared.
            async let first = pool.failure(count)
            async let pause = pool.failure(Self.sleep, [.int(100)])
            async let second = pool.failure(count)
            #expect(await first?.sqlState == .undefinedTable)
            try PostgresSession(url: url).execute("create table later ()")
            #expect(try await pool.query(count, []).int(0, 0) == 0)
            #expect(await pause == nil)
            #expect(await second?.isUnavailable == true)
            for _ in 1...3 { #expect(try await pool.query(count, []).int(0, 0) == 0) }
        }
    }

    @Test func `a statement made stale by a schema change is prepared again, and no request fails`() async throws {
        let url = try makeDatabase("stale")
        let session = try PostgresSession(url: url)
        try session.execute("create table things (a int); insert into things values (1)")
        let all = PostgresStatement(name: "all", sql: "select * from things")
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            #expect(try await pool.query(all, []).columnCount == 1)
            try PostgresSession(url: url).execute("alter table things add column b text")
            let failures = await withTaskGroup(of: PostgresError?.self) { group in
                for _ in 1...20 { group.addTask { await pool.failure(all) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures.allSatisfy { $0 == nil })
            for _ in 1...3 { #expect(try await pool.query(all, []).columnCount == 2) }
        }
    }

    @Test func `a function that loses a type while it waits for a lock runs again with the new type`() async throws {
        let url = try makeDatabase("replaced")
        // As api procedures do: the variable has the type of a view's rows.
        let view = "create view numbers as select 1 as number;"
        let function = """
            create or replace function number() returns int language plpgsql as $$
            declare
              v_rows numbers[];
            begin
              perform pg_advisory_xact_lock(1);
              v_rows := array(select numbers from numbers);
              return (v_rows[1]).number;
            end $$;
            """
        try PostgresSession(url: url).execute(view + function)
        let number = PostgresStatement(name: "number", sql: "select number()")
        try await withPool(url, lanes: .narrow) { pool, loop async throws in
            let migration = try PostgresSession(url: url)
            try migration.execute("begin; select pg_advisory_xact_lock(1); drop view numbers; \(view) \(function)")
            async let answer = pool.query(number, [], deadline: .seconds(60))
            let observer = try PostgresSession(url: url)
            let waiting = """
                select count(*)::int from pg_locks as lock join pg_database as own on own.oid = lock.database
                where not lock.granted and lock.locktype = 'advisory' and own.datname = current_database()
                """
            while try observer.query(waiting).int(0, 0) == 0 {
                try await loop.sleep(for: .milliseconds(5))
            }
            try migration.execute("commit")
            #expect(try await answer.int(0, 0) == 1)
        }
    }

    @Test func `a statement that meets the same replacement again is sent until it runs`() async throws {
        let url = try makeDatabase("replaced_again")
        try PostgresSession(url: url).execute(
            """
            create sequence attempts;
            create function replaced() returns int language plpgsql as $$
            begin
              if nextval('attempts') < 4 then
                raise internal_error;
              end if;
              return 1;
            end $$;
            """)
        let replaced = PostgresStatement(name: "replaced", sql: "select replaced()")
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            #expect(try await pool.query(replaced, []).int(0, 0) == 1)
        }
    }

    @Test(
        arguments: [
            ("feature_not_supported", PostgresLane.reads, 4), ("feature_not_supported", .writes, 4),
            ("lock_not_available", .reads, 2), ("lock_not_available", .writes, 1), ("division_by_zero", .reads, 1),
        ])
    func `a statement that is refused again fails after as many attempts as help`(
        condition: String, lane: PostgresLane, count: Int
    ) async throws {
        let url = try makeDatabase("\(condition)_\(lane)")
        try PostgresSession(url: url).execute(
            """
            create sequence attempts;
            create function refused() returns int language plpgsql as $$
            begin
              perform nextval('attempts');
              raise \(condition);
            end $$;
            """)
        let refused = PostgresStatement(name: "refused", sql: "select refused()")
        let attempts = PostgresStatement(name: "attempts", sql: "select last_value::int from attempts")
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            #expect(await pool.failure(refused, lane: lane)?.sqlState != nil)
            #expect(try await pool.query(attempts, []).int(0, 0) == count)
        }
    }

    @Test func `an error at commit is the statement's error`() async throws {
        let url = try makeDatabase("deferred")
        try PostgresSession(url: url).execute("create table once (a int unique deferrable initially deferred)")
        let insert = PostgresStatement(name: "insert", sql: "insert into once values (1) returning a")
        try await withPool(url) { pool, _ async throws in
            #expect(try await pool.query(insert, [], lane: .writes).int(0, 0) == 1)
            #expect(await pool.failure(insert, lane: .writes)?.sqlState == .uniqueViolation)
            #expect(try await pool.query(Self.echo, [.int(3)], lane: .writes).int(0, 0) == 3)
        }
    }

    @Test func `megabytes go both ways through a full socket`() async throws {
        let back = PostgresStatement(name: "back", sql: "select $1::bytea, $1::bytea", hasBinaryResults: true)
        let block = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withPool(url, lanes: .narrow) { pool, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let result = try await pool.query(back, [.bytea(block)], deadline: .seconds(120))
                        #expect(result.bytes(0, 0) == block)
                        #expect(result.bytes(0, 1) == block)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await pool.query(Self.echo, [.int(1)]).int(0, 0) == 1)
        }
    }

    @Test func `numbers can be read in the binary format too`() async throws {
        let numbers = PostgresStatement(
            name: "numbers", sql: "select 1::smallint, -2::int, 3::bigint, true, 'x'::text", hasBinaryResults: true)
        try await withPool(url) { pool, _ async throws in
            let result = try await pool.query(numbers, [])
            #expect((0..<3).map { result.int(0, $0) } == [1, -2, 3])
            #expect(result.bool(0, 3) == true)
            #expect(result.string(0, 4) == "x")
        }
    }

    @Test func `a NUL in a text is refused with the server's own code`() async throws {
        try await withPool(url) { pool, _ async throws in
            #expect(await pool.failure(Self.echo, [.text("1\0")])?.sqlState == .characterNotInRepertoire)
        }
    }

    @Test func `session settings apply on every connection`() async throws {
        let shown = PostgresStatement(name: "shown", sql: "select current_setting('statement_timeout')")
        try await withPool(url, settings: [("statement_timeout", "1s")]) { pool, _ async throws in
            for lane in PostgresLane.allCases {
                #expect(try await pool.query(shown, [], lane: lane).string(0, 0) == "1s")
            }
            #expect(await pool.failure(Self.sleep, [.int(3_600_000)])?.sqlState == .queryCancelled)
        }
    }

    @Test func `a caller is told of its deadline in time, and the connection stays open`() async throws {
        try await withPool(url, lanes: .narrow) { pool, loop async throws in
            let process = PostgresStatement(name: "process", sql: "select pg_backend_pid()")
            var goesOn = false
            for _ in 0..<20 where !goesOn {
                let first = try await pool.query(process, []).int(0, 0)
                let lock = try Lock(1, url)
                // In time: the statement is still waiting.
                #expect(await pool.failure(Lock.statement, [.int(1)], deadline: .milliseconds(100))?.isTimedOut == true)
                try lock.release()
                // If that took more than a second, the connection was considered dead: the machine is busy.
                goesOn = (try? await pool.query(process, []).int(0, 0)) == first
                while pool.status(of: .reads).connected == 0 { try await loop.sleep(for: .milliseconds(5)) }
            }
            #expect(goesOn)
        }
    }

    @Test func `a full lane refuses at once, and a request that waits too long is dropped unsent`() async throws {
        var lanes = PostgresLanes.narrow
        lanes.writes = PostgresLaneSettings(connections: 1, depth: 1, waitingLimit: 1, deadline: .seconds(1))
        try await withPool(url, lanes: lanes) { pool, loop async throws in
            let lock = try Lock(2, url)
            async let running = pool.failure(Lock.statement, [.int(2)], lane: .writes, deadline: .seconds(60))
            while pool.status(of: .writes).inFlight == 0 { try await loop.sleep(for: .milliseconds(2)) }
            async let waiting = pool.failure(Self.echo, [.int(1)], lane: .writes)
            while pool.status(of: .writes).waiting == 0 { await Task.yield() }
            // At once: the waiting requests are still waiting.
            let refused = await pool.failure(Self.echo, [.int(2)], lane: .writes, deadline: .seconds(60))
            #expect(refused?.isUnavailable == true)
            #expect(await waiting?.isUnavailable == true)
            try lock.release()
            #expect(await running == nil)
        }
    }

    @Test func `an overdue statement in the slow lane is cancelled on the server, and its successor is not`()
        async throws
    {
        var lanes = PostgresLanes.narrow
        lanes.slow = PostgresLaneSettings(
            connections: 1, depth: 1, waitingLimit: 8, deadline: .seconds(60), cancelsOverdue: true)
        let running = PostgresStatement(
            name: "running",
            sql: """
                select count(*)::int from pg_stat_activity
                where pid <> pg_backend_pid() and state = 'active' and query like '%$1::int / 999%'
                """)
        let sleep = PostgresStatement(name: "sleep", sql: "select pg_sleep($1::int / 999.0)")
        try await withPool(url, lanes: lanes) { pool, _ async throws in
            for _ in 1...5 {
                async let slow = pool.failure(sleep, [.int(3_600_000)], lane: .slow, deadline: .milliseconds(100))
                async let next = pool.query(sleep, [.int(50)], lane: .slow)
                #expect(await slow?.isTimedOut == true)
                #expect(try await next.rowCount == 1)
            }
            #expect(try await pool.query(running, []).int(0, 0) == 0)
        }
    }

    @Test func `draining finishes the requests in hand and refuses new ones`() async throws {
        try await withPool(url) { pool, loop async throws in
            let lock = try Lock(3, url)
            async let inHand = pool.failure(Lock.statement, [.int(3)])
            while pool.status(of: .reads).inFlight == 0 { try await loop.sleep(for: .milliseconds(2)) }
            async let drained: Void = pool.drain()
            try await loop.sleep(for: .milliseconds(10))
            #expect(await pool.failure(Self.echo, [.int(1)])?.isUnavailable == true)
            try lock.release()
            #expect(await inHand == nil)
            await drained
            #expect(pool.status(of: .reads).connected == 0)
        }
    }
}

/// A lock that is held until it is released, and a statement that waits for it.
private struct Lock {
    static let statement = PostgresStatement(name: "lock", sql: "select pg_advisory_xact_lock($1::bigint)")
    private let holder: PostgresSession

    init(_ number: Int, _ url: String) throws {
        holder = try PostgresSession(url: url)
        try holder.execute("begin; select pg_advisory_xact_lock(\(number))")
    }

    func release() throws { try holder.execute("rollback") }
}

extension PostgresLanes {
    /// On a busy machine an answer may be late; only a test of deadlines should meet one.
    static var patient: PostgresLanes {
        var lanes = PostgresLanes()
        lanes.reads.deadline = .seconds(60)
        lanes.writes.deadline = .seconds(60)
        lanes.checkIns.deadline = .seconds(60)
        lanes.checkIns.connections = 1
        lanes.slow.deadline = .seconds(60)
        lanes.bulk.deadline = .seconds(60)
        lanes.transactions.deadline = .seconds(60)
        lanes.events.deadline = .seconds(60)
        lanes.upkeep.deadline = .seconds(60)
        return lanes
    }

    /// One connection per lane, so that a test knows which connection its statements use.
    static var narrow: PostgresLanes {
        var lanes = PostgresLanes.patient
        lanes.reads.connections = 1
        lanes.writes.connections = 1
        lanes.checkIns.connections = 1
        lanes.slow.connections = 1
        lanes.bulk.connections = 1
        lanes.transactions.connections = 1
        lanes.events.connections = 1
        lanes.upkeep.connections = 1
        return lanes
    }
}
