import TestThreads
import Testing

@testable import Worker

@Suite(.mayBlock) struct `A health report` {
    private func report(_ ages: String, _ undelivered: String? = nil) -> HealthReport {
        HealthReport(ages: Array(ages.utf8), undelivered: undelivered.map { Array($0.utf8) })
    }

    @Test func `is healthy while nothing is late, and gives the ages`() {
        let report = report(
            #"{"oldest_due_seconds":300,"oldest_miss_seconds":0,"worker_beat_seconds":null,"schema_version":22}"#)
        #expect(report.isHealthy)
        #expect(report.alarms == nil)
        #expect(report.text == "oldest_due_seconds 300\noldest_miss_seconds 0\nschema_version 22\n")
    }

    @Test func `is unhealthy while something is late`() {
        let report = report(#"{"oldest_due_seconds":301,"oldest_miss_seconds":0}"#)
        #expect(!report.isHealthy)
        #expect(report.text.hasPrefix("late: oldest_due_seconds\n"))
    }

    @Test func `is unhealthy while alarms have reached nobody, and names them`() throws {
        let alarms = #"[{"at":"2027-03-10T09:30:11Z","id":"01a4","tenant":"acme","tenant_id":7,"type":"ping_missed"}]"#
        let report = report(#"{"oldest_due_seconds":0}"#, #"{"undelivered_alarms":3,"alarms":\#(alarms)}"#)
        #expect(!report.isHealthy)
        #expect(
            report.text.hasPrefix(
                "alarms that reached nobody: 3 (admin.undelivered_alarms)\n"
                    + "  ping_missed of 2027-03-10T09:30:11Z, tenant acme, notification 01a4\n"))
        let reported = String(decoding: try #require(report.alarms), as: UTF8.self)
        #expect(reported.contains(#""id":"01a4""#) && reported.contains(#""tenant_id":7"#))
    }

    @Test func `is unhealthy if the database's report cannot be read`() {
        #expect(!report("").isHealthy)
        #expect(!HealthReport(problem: "the database does not answer").isHealthy)
    }
}
