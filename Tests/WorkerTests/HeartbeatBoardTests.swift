import Testing

@testable import Worker

@Suite struct `A heartbeat of several cells` {
    private let board = HeartbeatBoard()
    private let start = ContinuousClock.now
    private let well = HealthReport(ages: Array(#"{"oldest_due_seconds":0}"#.utf8), undelivered: nil)

    @Test func `is unhealthy while one of them is, and says which`() {
        for cell in ["west", "east"] { board.expect(cell, at: start) }
        #expect(board.report(with: well, at: start) == well, "none has reported yet")
        board.post(well, of: "west", at: start)
        board.post(HealthReport(problem: "no answer"), of: "east", at: start)
        let report = board.report(with: well, at: start)
        #expect(!report.isHealthy)
        #expect(report.text == "oldest_due_seconds 0\ncell east: no answer\ncell west: oldest_due_seconds 0\n")
        board.post(well, of: "east", at: start)
        #expect(board.report(with: well, at: start).isHealthy)
        #expect(!board.report(with: HealthReport(problem: "late"), at: start).isHealthy)
    }

    @Test func `does not wait for a problem's turn, but for one that is known`() {
        board.expect("east", at: start)
        board.post(well, of: "east", at: start)
        #expect(!board.isUrgent)
        board.post(HealthReport(problem: "no answer"), of: "east", at: start)
        #expect(board.isUrgent)
        _ = board.report(with: well, at: start)
        board.post(HealthReport(problem: "no answer"), of: "east", at: start)
        #expect(!board.isUrgent)
    }

    @Test func `misses a cell that is silent, from its first day on, until it is forgotten`() {
        board.expect("east", at: start)
        let later = start + .seconds(181)
        #expect(
            board.report(with: well, at: later).text.hasSuffix(
                "cell east: the worker has not reported for 181 s: kith doctor\n"))
        board.post(well, of: "east", at: later)
        #expect(board.report(with: well, at: later + .seconds(180)).isHealthy)
        #expect(!board.report(with: well, at: later + .seconds(181)).isHealthy)
        board.forget("east")
        board.post(HealthReport(problem: "of a cell that is gone"), of: "east", at: later)
        #expect(board.report(with: well, at: later + .seconds(181)) == well)
    }

    @Test func `tells a cell which of its alarms the operator was told of`() throws {
        func report(_ id: String) -> HealthReport {
            let alarm = #"{"at":"2027-03-10T09:30:11Z","id":"\#(id)","tenant":"a","tenant_id":7,"type":"ping_missed"}"#
            return HealthReport(
                ages: Array("{}".utf8), undelivered: Array(#"{"undelivered_alarms":1,"alarms":[\#(alarm)]}"#.utf8))
        }
        board.expect("east", at: start)
        board.post(report("first"), of: "east", at: start)
        let sent = board.report(with: well, at: start)
        #expect(sent.alarms == nil, "they are none of the directory's")
        // A heartbeat has only the reports that were posted before it was made.
        board.post(report("second"), of: "east", at: start)
        #expect(board.takeTold(of: "east") == nil)
        board.noteTold(of: sent)
        let told = String(decoding: try #require(board.takeTold(of: "east")), as: UTF8.self)
        #expect(told.contains("first") && !told.contains("second"))
        #expect(board.takeTold(of: "east") == nil, "once")
    }
}
