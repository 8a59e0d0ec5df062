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
