import Testing

@testable import Worker

@Suite struct `The pace of a worker's loops` {
    private func loop(_ name: String, at pace: WorkerPace) throws -> WorkerLoop {
        try #require(WorkerLoop.known.first { $0.name == name }).at(pace)
    }

    @Test func `is the usual one where an operator says nothing`() throws {
        let pace = try WorkerPace("sweep=/120")
        #expect(try loop("miss_pings", at: pace).batch == 2000)
        #expect(try loop("miss_pings", at: pace).pause == .seconds(1))
    }

    @Test func `is chosen by loop: the batch, the pause or both`() throws {
        let pace = try WorkerPace("generate_daily_pings=500/12.5, plan_deliveries=5000,analyze_tables=/0.5")
        #expect(try loop("generate_daily_pings", at: pace).batch == 500)
        #expect(try loop("generate_daily_pings", at: pace).pause == .milliseconds(12_500))
        #expect(try loop("plan_deliveries", at: pace).batch == 5000)
        #expect(try loop("plan_deliveries", at: pace).pause == .milliseconds(500))
        #expect(try loop("analyze_tables", at: pace).batch == nil)
        #expect(try loop("analyze_tables", at: pace).pause == .milliseconds(500))
    }

    @Test(arguments: [
        ("", "must be a list like generate_daily_pings=500/10,sweep=/120"),
        ("sweep", "must be a list like generate_daily_pings=500/10,sweep=/120"),
        ("sweep=", "must be a list like generate_daily_pings=500/10,sweep=/120"),
        ("sweep=5,", "must be a list like generate_daily_pings=500/10,sweep=/120"),
        ("swep=5", "names a loop that does not exist: swep; admin.loops lists them"),
        ("sweep=5,sweep=/60", "names sweep twice"),
        ("sweep=0", "must give sweep a batch from 1 to 10000"),
        ("sweep=10001", "must give sweep a batch from 1 to 10000"),
        ("sweep=many", "must give sweep a batch from 1 to 10000"),
        ("sweep=5/", "must give sweep a pause from 6 to 600 seconds"),
        ("sweep=/601", "must give sweep a pause from 6 to 600 seconds"),
        ("sweep=/nan", "must give sweep a pause from 6 to 600 seconds"),
        ("plan_deliveries=/0.04", "must give plan_deliveries a pause from 0.05 to 5 seconds"),
        // A transaction makes one partition, so that it never waits for a table while it holds a lock on another.
        ("make_partitions=2", "gives make_partitions a batch, which it does not have"),
        ("analyze_tables=2", "gives analyze_tables a batch, which it does not have"),
    ]) func `is refused with what it must be`(text: String, problem: String) {
        #expect { try WorkerPace(text) } throws: { "\($0)" == problem }
    }

    @Test func `is described beside the usual one`() throws {
        #expect(
            try loop("sweep", at: WorkerPace("sweep=7/120")).description
                == #"{"loop": "sweep", "batch": 7, "pause_ms": 120000, "usual_batch": 1000, "usual_pause_ms": 60000}"#)
        #expect(
            try loop("analyze_tables", at: WorkerPace()).description
                == #"{"loop": "analyze_tables", "batch": null, "pause_ms": 5000, "usual_batch": null, "usual_pause_ms": 5000}"#
        )
    }
}
