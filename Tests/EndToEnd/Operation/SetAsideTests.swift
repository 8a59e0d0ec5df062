import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A row that the worker cannot process` {
    @Test func `stops no other, stands in the log, the metrics and kith doctor, and is done once it is mended`()
        async throws
    {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let sender = try await alice.becomeSender()
        for name in ["Bob", "Carol"] {
            let receiver = try await Person.join(installation.acme, as: name, client)
            _ = try await receiver.becomeReceiver()
            _ = try await receiver.connect(sender.code)
        }
        let session = try installation.session()
        let notifications = try session.query("select id::text from kith.notifications order by id")
        #expect(notifications.rowCount == 2)
        let poisoned = try #require(notifications.string(0, 0))
        try session.execute(
            """
            create function public.refuse() returns trigger language plpgsql as
              $$ begin raise exception 'it names Alice' using errcode = '22007'; end $$;
            create trigger refuse before update on kith.notifications for each row when (old.id = '\(poisoned)') execute function public.refuse();
            """)
        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(["KITH_DELIVERY": "console"]) { $1 })
        defer { worker.signal(SIGKILL) }

        let line = try worker.waitForLog("a row was set aside")
        for part in ["22007", "public.refuse", "loop=plan_deliveries", "tenant=acme", "id=\(poisoned)", "tries=1"] {
            #expect(line.contains(part), "\(line)")
        }
        #expect(!line.contains("Alice"))
        let planned = "select planned_at is not null from kith.notifications where id = $1::uuid"
        #expect(try session.query(planned, [.text(poisoned)]).string(0, 0) == "f")
        #expect(try session.query(planned, [.text(try #require(notifications.string(1, 0)))]).string(0, 0) == "t")

        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(doctor.output.contains("plan_deliveries cannot process \(poisoned) of acme"), "\(doctor.output)")
        #expect(doctor.output.contains("admin.retry_set_aside('plan_deliveries', '\(poisoned)', 'mended')"))
        let started = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        let address = try #require(started.firstMatch(of: /address=([0-9.:]+)/)?.1)
        let metrics = try await APIClient(base: try #require(URL(string: "http://\(address)"))).send(
            "GET", installation.metrics)
        #expect(metrics.text.contains("kith_set_aside{loop=\"plan_deliveries\"} 1\n"))
        #expect(metrics.text.contains(/kith_oldest_set_aside_seconds [1-9]/))

        try session.execute("drop trigger refuse on kith.notifications")
        try session.execute("select admin.retry_set_aside('plan_deliveries', '\(poisoned)', 'mended')")
        let left = "select count(*) from kith.notifications where planned_at is null"
        while try session.query(left).int(0, 0) != 0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try session.query("select count(*) from kith.set_aside").int(0, 0) == 0)
    }
}
