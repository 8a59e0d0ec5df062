public import Delivery
internal import Foundation
internal import Logging
public import Postgres

/// Sends a heartbeat to an outside monitoring service. When the heartbeat stays out or reports a problem, the service
/// alerts the operator. The reporter sends a POST to the URL when all is well, and to `/fail` below it otherwise, as
/// healthchecks.io and similar services expect.
///
/// `@unchecked Sendable`: `failures` is accessed only on the loop's thread, which the pool checks.
public final class HeartbeatReporter: @unchecked Sendable {
    private let pool: PostgresPool
    private let transfers: Transfers
    private let url: String
    private let board: HeartbeatBoard?
    private let cell: String?
    private var failures = 0

    /// Creates a reporter that sends to `url`. With a `board`, it also sends the reports that the cells have posted
    /// there. The reporter of a `cell` sends nothing, and posts its report on the board.
    public init(
        pool: PostgresPool, transfers: Transfers, url: String, board: HeartbeatBoard? = nil, cell: String? = nil
    ) {
        self.pool = pool
        self.transfers = transfers
        self.url = url
        self.board = board
        self.cell = cell
    }

    /// Whether the next heartbeat should not wait for its time, because a cell has reported a problem.
    var isUrgent: Bool { cell == nil && board?.isUrgent == true }

    /// Reports the state at `now` (microseconds since 1970), including alarms that have reached nobody.
    func beat(at now: Int64) async {
        if let board, let cell {
            if let told = board.takeTold(of: cell) { await record(told, at: now) }
            return board.post(await report(at: now), of: cell)
        }
        let own = await report(at: now)
        let report = board?.report(with: own) ?? own
        guard await send(report) else { return }
        board?.noteTold(of: report)
        if let alarms = report.alarms { await record(alarms, at: now) }
    }

    /// Records that the operator was told of these alarms.
    private func record(_ alarms: [UInt8], at now: Int64) async {
        do throws(PostgresError) {
            _ = try await pool.query(Self.markReported, [.instant(now), .bytes(alarms)], lane: .upkeep)
        } catch {
            Log.error("the report of alarms cannot be recorded and will be repeated: \(error)")
        }
    }

    private func report(at now: Int64) async -> HealthReport {
        do throws(PostgresError) {
            let ages = try await pool.query(Self.health, [.instant(now)], lane: .upkeep)
            let undelivered = try await pool.query(Self.undelivered, [.instant(now)], lane: .upkeep)
            return HealthReport(ages: ages.bytes(0, 0) ?? [], undelivered: undelivered.bytes(0, 0))
        } catch {
            return HealthReport(problem: "the database does not answer: \(error)")
        }
    }

    private func send(_ report: HealthReport) async -> Bool {
        let transfer = Transfer(
            url: report.isHealthy ? url : url + "/fail", headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array(report.text.utf8), timeout: .seconds(10), isTrusted: true)
        var objection: String?
        do throws(TransferError) {
            let answer = try await transfers.perform(transfer)
            if !(200..<300).contains(answer.status) { objection = "it answered \(answer.status)" }
        } catch {
            objection = "\(error)"
        }
        guard let objection else {
            failures = 0
            return true
        }
        failures += 1
        // Log the first failure, and then one an hour.
        if failures % 60 == 1 { Log.error("KITH_BEAT_URL did not accept the heartbeat: \(objection)") }
        return false
    }

    private static let health = PostgresStatement(name: "health", sql: "select worker.health($1::timestamptz)")
    private static let undelivered = PostgresStatement(
        name: "tell_operator", sql: "select worker.tell_operator($1::timestamptz)")
    private static let markReported = PostgresStatement(
        name: "operator_told", sql: "select worker.operator_told($1::timestamptz, $2::jsonb)")
}
