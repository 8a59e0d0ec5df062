internal import Synchronization

/// Where the workers of an installation's cells leave their health reports. The directory's worker sends them in one
/// heartbeat: separate heartbeats to one address would let a cell that is well hide one that is not.
public final class HeartbeatBoard: Sendable {
    /// The state of a cell.
    private struct Cell {
        /// Nil until the first one.
        var report: HealthReport?
        /// When it last reported, or was first expected to.
        var reportedAt: ContinuousClock.Instant
        /// The alarms that the operator was told of, which the cell has still to record.
        var told: [UInt8]?
    }

    private struct State {
        var cells: [String: Cell] = [:]
        /// Whether a cell has reported a problem that the last heartbeat did not have.
        var isUrgent = false
    }

    /// How long a cell may be silent: three heartbeats.
    static let patience = Duration.seconds(180)

    private let state = Mutex(State())

    /// Creates a board that expects no cell.
    public init() {}

    /// Expects reports of a cell from now on. Until it is forgotten, its silence is a problem.
    public func expect(_ cell: String) { expect(cell, at: .now) }

    func expect(_ cell: String, at now: ContinuousClock.Instant) {
        state.withLock { $0.cells[cell] = Cell(reportedAt: now) }
    }

    /// Expects no more reports of a cell.
    public func forget(_ cell: String) {
        state.withLock { $0.cells[cell] = nil }
    }

    /// Replaces the report of a cell that is expected.
    func post(_ report: HealthReport, of cell: String, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            guard let before = state.cells[cell] else { return }
            if !report.isHealthy, before.report?.isHealthy != false { state.isUrgent = true }
            state.cells[cell]?.report = report
            state.cells[cell]?.reportedAt = now
        }
    }

    /// Whether the next heartbeat should not wait.
    var isUrgent: Bool { state.withLock { $0.isUrgent } }

    /// The report of the directory with those of all cells.
    func report(with own: HealthReport, at now: ContinuousClock.Instant = .now) -> HealthReport {
        let cells = state.withLock { state in
            state.isUrgent = false
            return state.cells
        }
        return cells.sorted { $0.key < $1.key }.reduce(own) { all, cell in
            let silence = now - cell.value.reportedAt
            let silent = HealthReport(
                problem: "the worker has not reported for \(silence.components.seconds) s: kith doctor")
            let report = silence > Self.patience ? silent : cell.value.report
            return report.map { all.adding($0, of: cell.key) } ?? all
        }
    }

    /// Notes that the operator was told of the alarms in a report of all cells.
    func noteTold(of report: HealthReport) {
        state.withLock { state in
            for (cell, alarms) in report.alarmsOfCells { state.cells[cell]?.told = alarms }
        }
    }

    /// The alarms of a cell that the operator was told of since the last question.
    func takeTold(of cell: String) -> [UInt8]? {
        state.withLock { state in
            defer { state.cells[cell]?.told = nil }
            return state.cells[cell]?.told
        }
    }
}
