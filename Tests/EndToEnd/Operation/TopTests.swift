import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `The screen for operators` {
    private func top(_ arguments: [String] = ["--once"], _ environment: [String: String]) throws -> (
        status: Int32, output: String, errors: String
    ) {
        try KithProcess.run(["top"] + arguments, environment: environment)
    }

    @Test func `shows what is late, what waits and what stands in the way, in 80 columns`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        _ = try await client.send("GET", "/livez")
        let metrics = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        var environment = installation.home
        environment["KITH_METRICS_LISTEN"] = String(try #require(metrics.firstMatch(of: /address=([0-9.:]+)/)).1)
        let session = try installation.session()
        // The reason is a provider's text, which may try to command the terminal.
        try session.execute(
            """
            insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, error, refused_since)
            values (\(installation.acme.tenantID), 'sms', '{}', '', now(), now(), E'\\x1b[2Jno \\u202Eeciov', '2026-03-10T12:00Z');
            insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at)
            select \(installation.acme.tenantID), internal.uuid7(now()), 'sms', 'invitation', '+4915112345678', repeat('x', n),
              now() - interval '5 minutes', now() + interval '1 day', now() - interval '5 minutes'
            from generate_series(1, 1234) as n;
            -- Of an alarm that a worker with a clock ahead has reported.
            insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
            values (\(installation.acme.tenantID), gen_random_uuid(), gen_random_uuid(), 'ping_missed', now() + interval '2 days');
            insert into kith.alarms (
              tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, expires_at, next_at
            )
            values (
              \(installation.acme.tenantID), internal.uuid7(now()), internal.uuid7(now()), 'help', now() - interval '10 minutes', now(), now(), 30, '{}',
              now() + interval '1 day', now() + interval '1 day'
            );
            """)
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(
            doctor.output.contains(/WRONG  alarm \S+ of acme \(help, user \S+\) is known to nobody/), "\(doctor.output)"
        )
        #expect(
            doctor.output.contains("WRONG  worker: last beat never\n       fix: start one: kith worker\n"),
            "\(doctor.output)")
        let alarm = try #require(try session.query("select id from kith.alarms").string(0, 0))
        let story = try KithProcess.run(["logs", "explain", alarm], environment: installation.home)
        #expect(story.output.hasPrefix("alarm \(alarm) of the tenant acme\n"), "\(story.errors)")
        // The server says in its first heartbeat that it runs.
        while try session.query("select from kith.heartbeats where component = 'server'").rowCount == 0 { usleep(5000) }
        let shown = try top(["--once"], environment)
        #expect(shown.status == 0, "\(shown.errors)")
        for line in [
            "IN THE WAY", "- acme: sms is refused since 2026-03-10 12:00:00+00: ?[2Jno ?eciov",
            "- acme: messages of alarms that reached nobody: 1, the first 00:00:00 ago",
            "sms            1,234      5 min",
            "LATE     sending 5 min",
            "WORKER   has never run   <-- start one: kith worker", "ALARMS   open 1   taken 0   untaken for",
            "known to nobody 1: kith doctor", "since the start   waiting for the database 0",
        ] {
            #expect(shown.output.contains(line), "\(line): \(shown.output)")
        }
        // One line for each tenant: due pings, open alarms, messages that reached nobody, and those that wait.
        #expect(shown.output.contains(/TENANTS +due +alarms +unreached +waiting +oldest\n/), "\(shown.output)")
        #expect(shown.output.contains(/\nacme +0 +1 +1 +1,234 +5 min\n/), "\(shown.output)")
        #expect(shown.output.contains(/server +\S+ +up [0-9]+ s/), "\(shown.output)")
        let remedy = "select * from admin.undelivered_alarms where tenant = 'acme' order by at"
        #expect(shown.output.contains("    \(remedy)\n"), "\(shown.output)")
        #expect(!shown.output.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    }

    @Test func `shows who waits for a lock, and for whom`() async throws {
        let (installation, _, _) = try shared.get()
        let holder = try installation.session()
        let lock = "select pg_advisory_lock(7, 7)"
        _ = try holder.query(lock)
        let waiting = Thread {
            _ = try? PostgresSession(url: installation.url, applicationName: "a waiting program").query(lock)
        }
        waiting.start()
        let count =
            """
            select count(*) from pg_stat_activity where application_name = 'a waiting program' and wait_event_type = \
            'Lock'
            """
        while try holder.query(count).int(0, 0) == 0 { usleep(5000) }
        let shown = try top(["--once"], installation.home)
        _ = try holder.query("select pg_advisory_unlock(7, 7)")
        #expect(
            shown.output.contains(/a waiting program waits for [0-9]+ s for kith \(process [0-9]+, idle\)/),
            "\(shown.output)")
        // Nothing listens on port 0.
        #expect(shown.output.contains("REQUESTS http://127.0.0.1:0/metrics does not answer"), "\(shown.output)")
    }

    @Test func `shows who has locked a table that the numbers need, as doctor does`() throws {
        let installation = try Installation(offset: nil)
        let holder = try installation.session()
        try holder.execute("begin; lock table kith.ping_runs in access exclusive mode")
        let shown = try top(["--once"], installation.home)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(
            shown.output.contains(/- process [0-9]+ of postgres, kith, idle in transaction locks kith.ping_runs\n/),
            "\(shown.output)")
        #expect(shown.output.contains("select admin.end_session(\(holder.backendPID), 'why')"), "\(shown.output)")
        #expect(!shown.output.contains("LATE"), "\(shown.output)")
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(doctor.output.contains("WRONG  how late the work is cannot be read"), "\(doctor.output)")
        #expect(doctor.output.contains("fix: end the transaction that locks the table: kith psql -c"))
    }

    @Test func `shows where the pace of a worker's loops is not the usual one, as doctor does`() throws {
        let installation = try Installation(offset: nil)
        var environment = installation.home
        environment["KITH_WORKER_LOOPS"] = "generate_daily_pings=500,analyze_tables=/2.5"
        environment["KITH_DELIVERY"] = "none"
        let worker = try KithProcess(["worker"], environment: environment)
        let session = try installation.session()
        while try session.query("select from admin.loops").rowCount == 0 { usleep(5000) }
        let shown = try top(["--once"], installation.home)
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        for line in [
            "generate_daily_pings 500 every 5 s, usually 1000 every 5 s",
            "analyze_tables every 2.5 s, usually every 5 s",
        ] {
            #expect(shown.output.contains("         \(line)\n"), "\(shown.output)")
            #expect(doctor.output.contains(line), "\(doctor.output)")
        }
        #expect(!shown.output.contains("usually 2000"), "\(shown.output)")
        #expect(worker.isRunning, "\(worker.standardError)")
        #expect(doctor.output.contains(/PostgreSQL [0-9.]+; Kith works with 15 to 18/), "\(doctor.output)")
    }

    @Test func `ends with q, and leaves the terminal as it was`() throws {
        let (installation, _, _) = try shared.get()
        let ended = try Tool.run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                """
                printf q | script --quiet --return --command '\(KithProcess.executable.path) top --interval 3600' \
                /dev/null
                """,
            ],
            environment: installation.home)
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("\u{1b}[?1049h\u{1b}[?25l"), "\(ended.output)")
        #expect(ended.output.hasSuffix("\u{1b}[?25h\u{1b}[?1049l"), "\(ended.output)")
    }

    @Test func `refuses what it cannot show`() throws {
        let (installation, _, _) = try shared.get()
        for interval in ["0", "3601", "soon", ""] {
            let refused = try top(["--interval", interval], installation.environment)
            #expect(refused.status == 64, "\(interval)")
            #expect(refused.errors.contains("--interval"), "\(refused.errors)")
        }
        var environment = installation.environment
        environment["KITH_DATABASE_URL"] = try installation.postgres.createDatabase("without_a_schema")
        let empty = try top(["--once"], environment)
        #expect(empty.status == 1)
        #expect(empty.errors == "kith: the database has no schema of this version: run kith migrate\n")
        environment["KITH_DATABASE_URL"] = "postgresql://127.0.0.1:1/kith"
        #expect(try top(["--once"], environment).status == 1)
    }
}
