import EventLoop
import Foundation
import LocalPostgres
import Postgres
import Schema
import Synchronization
import TestThreads
import Testing

@testable import Worker

@Suite struct `A worker's loop that yields` {
    @Test func `rests twice as long as its batch took, but at most a second`() {
        #expect(WorkerLoop.rest(after: .milliseconds(40)) == .milliseconds(80))
        #expect(WorkerLoop.rest(after: .seconds(90)) == .seconds(1))
    }
}

@Suite struct `The size of a loop's batch` {
    @Test func `is halved while batches are cancelled, down to one row, and doubled up to the usual one`() {
        var size = BatchSize(5)
        size.fail()
        #expect(size.rows == 2)
        size.fail()
        size.fail()
        #expect(size.rows == 1)
        for rows in [2, 4, 5, 5] {
            size.succeed()
            #expect(size.rows == rows)
        }
    }

    @Test func `is none for a procedure that does everything at once`() {
        var size = BatchSize(nil)
        size.fail()
        size.succeed()
        #expect(size.rows == nil)
    }
}

/// A migrated database with one sender, Alice, whose pings are due at nine in Berlin, and one receiver, Bob.
private func database(_ server: EphemeralPostgres) throws -> String {
    let url = try server.createDatabase("kith")
    let session = try PostgresSession(url: url)
    _ = try Migrator(session).migrate()
    // The table lets the tests choose the time (internal.present).
    try session.execute(
        """
        create table internal.development (made_at timestamptz not null);
        select admin.create_tenant('acme', 'Acme');
        insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
        select tenant_id, md5(person)::uuid, person, at, at, at
        from kith.tenants, unnest(array['Alice', 'Bob']) as person, (select timestamptz '2026-01-01') as past (at);
        insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
        select tenant_id, md5('Alice')::uuid, 'Europe/Berlin', '09:00', 90, 15, at, at, at
        from kith.tenants, (select timestamptz '2026-01-01') as past (at);
        insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
        select tenant_id, md5('c')::uuid, md5('Alice')::uuid, md5('Bob')::uuid, 'active', md5('Bob')::uuid, at, at, at
        from kith.tenants, (select timestamptz '2026-01-01') as past (at);
        insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
        select tenant_id, 'Europe/Berlin', '2027-03-09', '2027-03-08T23:00:00Z' from kith.tenants;
        """)
    return url
}

/// The microseconds since 1970 of an RFC 3339 timestamp.
private func instant(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1_000_000)
}

/// Runs `body` with a worker, on a loop of its own.
private func withWorker(
    _ url: String, at clock: WallClock, pace: String? = nil,
    _ body: @escaping @Sendable (Worker, EventLoop, PostgresPool) async -> Void
) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread {
            do {
                let loop = try EventLoop(clock: clock)
                let pool = try PostgresPool(
                    loop: loop, url: url, applicationName: "worker test", lanes: Worker.lanes,
                    sessionSettings: [("role", "kith_worker")])
                pool.start()
                let worker = Worker(
                    loop: loop, pool: pool, instance: "test", pace: try pace.map { try WorkerPace($0) } ?? WorkerPace())
                loop.spawn {
                    await body(worker, loop, pool)
                    await pool.drain()
                    loop.stop()
                }
                loop.run()
            } catch {
                Issue.record(error)
            }
            continuation.resume()
        }.start()
    }
}

@Suite(.mayBlock) struct `The worker` {
    @Test func `does all pending work in one pass, and then finds nothing`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        await withWorker(url, at: .starting(at: try instant("2027-03-09T08:00:30Z"))) { worker, _, _ in
            do throws(PostgresError) {
                let done = try await worker.runOnce()
                #expect(done.first { $0.loop == "announce_due_pings" }?.done == 1)
                let again = try await worker.runOnce()
                #expect(again.allSatisfy { $0.done == 0 }, "\(again)")
            } catch {
                Issue.record(error)
            }
        }
        let told = try PostgresSession(url: url).query(
            "select count(*) from kith.notifications where type = 'ping_due'")
        #expect(told.int(0, 0) == 1)
    }

    @Test func `drops no data while its clock differs from the machine's`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        for (clock, drops) in [(WallClock.machine, true), (.starting(at: try instant("2027-03-09T08:00:30Z")), false)] {
            await withWorker(url, at: clock) { worker, _, _ in
                do throws(PostgresError) {
                    let done = try await worker.runOnce()
                    for loop in ["drop_partitions", "end_readers", "sample_disk", "expire_rows"] {
                        #expect(done.contains { $0.loop == loop } == drops, "\(loop)")
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    @Test func `runs by itself, and stops when told to`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        let announced = Atomic(false)
        await withWorker(url, at: .starting(at: try instant("2027-03-09T07:59:59Z"))) { worker, loop, pool in
            let running = loop.spawn { await worker.run() }
            let due = "select count(*) from kith.pings where status = 'due'"
            for _ in 0..<5000 where !announced.load(ordering: .relaxed) {
                // As the superuser, because the worker cannot read the status.
                if let count = try? PostgresSession(url: url).query(due).int(0, 0), count == 1 {
                    announced.store(true, ordering: .relaxed)
                }
                try? await loop.sleep(for: .milliseconds(20))
            }
            worker.stop()
            await running.value
        }
        let wasAnnounced = announced.load(ordering: .relaxed)
        #expect(wasAnnounced)
    }

    /// A worker that has been away for months begins, or its clock jumps.
    @Test func `makes the partitions of its clock's date before it writes anything`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        let clock = WallClock.stopped(at: try instant("2027-03-09T08:00:30Z"))
        let later = Int64(40 * 86_400_000_000)
        let announcements = Atomic(0)
        await withWorker(url, at: clock) { worker, loop, _ in
            let running = loop.spawn { await worker.run() }
            for pings in 1...2 {
                let told = "select count(*) from kith.notifications where type = 'ping_due'"
                for _ in 0..<1000 {
                    if let count = try? PostgresSession(url: url).query(told).int(0, 0), count >= pings {
                        announcements.store(pings, ordering: .relaxed)
                        break
                    }
                    try? await loop.sleep(for: .milliseconds(20))
                }
                if pings == 1 { clock.advance(by: later) }
            }
            worker.stop()
            await running.value
        }
        let announced = announcements.load(ordering: .relaxed)
        #expect(announced == 2)
        let left = try PostgresSession(url: url).query(
            "select (select count(*) from kith.notifications_default), (select count(*) from kith.set_aside)")
        #expect(left.int(0, 0) == 0 && left.int(0, 1) == 0)
    }

    @Test func `repeats a batch into whose rows a partition has come, and sets none aside`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        nonisolated(unsafe) let session = try PostgresSession(url: url)
        // Everything is there but the partition of the month's notifications, which another session is about to attach.
        try session.execute(
            """
            do $$ begin while internal.make_partitions('2027-03-09T08:00:30Z', 100) > 0 loop end loop; end $$;
            drop table kith.notifications_2027_03;
            select worker.generate_daily_pings('2027-03-09T07:00Z', 100);
            begin;
            select internal.make_partition(
              'notifications', '2027_03', internal.first_uuid7('2027-03-01T00:00Z')::text, internal.first_uuid7('2027-04-01T00:00Z')::text
            );
            """)
        let announced = Atomic(-1)
        await withWorker(url, at: .stopped(at: try instant("2027-03-09T08:00:30Z"))) { _, loop, pool in
            let announcing = loop.spawn {
                let statement = PostgresStatement(
                    name: "announce", sql: "select worker.announce_due_pings('2027-03-09T08:00:30Z', 100)")
                let done = (try? await pool.query(statement, [], lane: .slow))?.int(0, 0) ?? -1
                announced.store(done, ordering: .relaxed)
            }
            let waits =
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%announce_due_pings%' and pid <> pg_backend_pid()"
            for _ in 0..<1000 {
                if let count = try? PostgresSession(url: url).query(waits).int(0, 0), count > 0 { break }
                try? await loop.sleep(for: .milliseconds(20))
            }
            do throws(PostgresError) { try session.execute("commit") } catch { Issue.record(error) }
            await announcing.value
        }
        let done = announced.load(ordering: .relaxed)
        #expect(done == 1)
        let left = try session.query(
            "select (select count(*) from kith.notifications_default), (select count(*) from kith.set_aside)")
        #expect(left.int(0, 0) == 0 && left.int(0, 1) == 0)
    }

    @Test func `goes on without a row whose processing is cancelled, however many are in its batch`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        // The oldest of three pings always takes longer than a statement may.
        try PostgresSession(url: url).execute(
            """
            insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
            select tenant_id, ping_on, md5('c')::uuid, md5(ping_on::text)::uuid, md5('Alice')::uuid, md5('Bob')::uuid, 'scheduled',
              ping_on + interval '8 hours', '2027-03-09T12:00Z'
            from kith.tenants, unnest(array[date '2027-03-07', '2027-03-08', '2027-03-09']) as ping_on;
            create function internal.cancel() returns trigger language plpgsql as $$ begin raise query_canceled; end $$;
            create trigger cancel before update on kith.pings for each row when (new.ping_on = '2027-03-07') execute function internal.cancel();
            """)
        let done = Atomic(false)
        await withWorker(url, at: .starting(at: try instant("2027-03-09T08:00:30Z")), pace: "announce_due_pings=2") {
            worker, loop, _ in
            let running = loop.spawn { await worker.run() }
            let state = """
                select (select count(*) from kith.pings where status = 'due') = 2 and exists (
                  select from kith.set_aside where loop = 'announce_due_pings' and key = md5('2027-03-07')::uuid::text and sqlstate = '57014')
                """
            for _ in 0..<5000 where !done.load(ordering: .relaxed) {
                if (try? PostgresSession(url: url).query(state).bool(0, 0)) == true {
                    done.store(true, ordering: .relaxed)
                }
                try? await loop.sleep(for: .milliseconds(20))
            }
            worker.stop()
            await running.value
        }
        let isDone = done.load(ordering: .relaxed)
        #expect(isDone)
    }

    @Test func `shares the hourly check with other workers, and continues the check of one that died`() throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        let check = "select worker.find_gaps('2027-03-09T07:59:59Z', 1)"
        let first = try PostgresSession(url: url)
        try first.execute("set role kith_worker; begin")
        #expect(try first.query(check).int(0, 0) == 1)
        let second = try PostgresSession(url: url)
        try second.execute("set role kith_worker")
        #expect(try second.query(check).int(0, 0) == 0, "the first worker is checking")
        try first.execute("rollback")
        #expect(try second.query(check).int(0, 0) == 1, "the first worker's rollback leaves the sender unchecked")
        #expect(try second.query(check).int(0, 0) == 0)
    }

    @Test func `survives the loss of its database`() async throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try database(server)
        let recovered = Atomic(false)
        await withWorker(url, at: .machine) { worker, loop, pool in
            let running = loop.spawn { await worker.run() }
            try? await loop.sleep(for: .milliseconds(200))
            try? server.server.stop()
            try? await loop.sleep(for: .milliseconds(500))
            try? server.server.start()
            let back = PostgresValue.instant(WallClock.machine.now)
            let beats = "select count(*) from kith.heartbeats where beat_at > $1::timestamptz"
            for _ in 0..<5000 where !recovered.load(ordering: .relaxed) {
                if let count = try? PostgresSession(url: url).query(beats, [back]).int(0, 0), count > 0 {
                    recovered.store(true, ordering: .relaxed)
                }
                try? await loop.sleep(for: .milliseconds(20))
            }
            worker.stop()
            await running.value
        }
        let hasRecovered = recovered.load(ordering: .relaxed)
        #expect(hasRecovered)
    }
}
