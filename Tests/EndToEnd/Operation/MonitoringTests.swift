import Foundation
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Monitoring with Prometheus` {
    @Test func `each alert fires and rests, and every query of the alerts and the dashboard finds its metrics`()
        async throws
    {
        let installation = try Installation(offset: nil, cells: 1)
        // Without a worker's heartbeat there is no metric of its age.
        try installation.session().execute("select worker.beat('worker', 'a worker', now(), null, now())")
        // The metrics of canaries exist where a tenant has one, and those of its legs once a run has ended.
        try installation.session().execute(
            """
            select admin.set_canary('acme', 24, '{"email": {"address": "canary@example.com"}}');
            insert into kith.canary_runs (tenant_id, canary_id, asks_at, sender_id, deadline_at, dies_at, made_at, asked_at, ended_at)
            select tenant_id, id, now(), receiver_id, now() + interval '5 minutes', now() + interval '25 minutes', now(), now(), now()
            from kith.canaries;
            insert into kith.canary_arrivals (tenant_id, canary_id, asks_at, channel, needs_heard, outcome)
            select tenant_id, canary_id, asks_at, 'email', true, 'arrived' from kith.canary_runs
            """)
        // The metrics of standbys exist where one is configured. A primary in its place answers nothing.
        let (server, client) = try installation.serve(["KITH_READ_DATABASE_URL": installation.url])
        // The counters of requests begin with the first one.
        _ = try await client.send("GET", "/livez")
        let metrics = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        let address = String(try #require(metrics.firstMatch(of: /address=([0-9.:]+)/)).1)
        let tried = try Tool.run(Tool.tests.appending(path: "Monitoring/run"), [address, installation.url])
        #expect(tried.status == 0, "\(tried.output)")
        #expect(tried.output.contains(/[1-9][0-9]* alerts and [1-9][0-9]* queries/), "\(tried.output)")
    }
}
