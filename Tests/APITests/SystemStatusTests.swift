import Testing

@testable import API

/// The status of several databases as one (G11).
@Suite struct `The status of several cells` {
    private func status(_ alarms: String, _ outages: [SystemStatus.Outage] = []) -> SystemStatus {
        SystemStatus(
            lines: [
                SystemStatus.Line(part: .checkIns, state: "ok", since: "2026-03-01T00:00:00Z"),
                SystemStatus.Line(part: .alarms, state: alarms, since: nil),
            ], outages: outages, knownAt: 1)
    }

    private func outage(_ from: String, _ until: String?) -> SystemStatus.Outage {
        SystemStatus.Outage(component: "worker", beganAt: from, endedAt: until, isRestore: false)
    }

    @Test func `is true of everybody only where all cells are alike`() {
        #expect(status("ok").combined(with: [status("ok")]).lines.map(\.state) == ["ok", "ok"])
        #expect(status("ok").combined(with: [status("down")]).lines.map(\.state) == ["ok", "partly"])
        #expect(status("down").combined(with: [status("down")]).level == .down)
        // A cell that cannot be asked is one that is not alike.
        #expect(status("ok").combined(with: [nil]).lines.map(\.state) == ["partly", "partly"])
    }

    @Test func `has an interruption of all cells once, as long as the longest, and names those of some`() {
        let lasting = outage("2026-03-02T10:00:00Z", nil)
        let short = outage("2026-03-02T11:00:00Z", "2026-03-02T11:02:00Z")
        let alone = outage("2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z")
        let all = status("down", [lasting]).combined(with: [status("ok", [short, alone])]).outages
        #expect(all.map(\.beganAt) == ["2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"])
        #expect(all.map(\.endedAt) == [nil, "2026-03-01T10:05:00Z"])
        #expect(all.map(\.isPartial) == [false, true])
    }
}
