import Foundation
import Postgres

@testable import Worker

/// Runs the worker's loops in a crowd, with the role of the worker, and reads what each of them does in the database.
struct LoopWork {
    /// How many items each batch has. Both crowds have more than that to do.
    private static let batch = 20
    /// A session keeps a plan for all values from the sixth call on, if it costs no more than the others did.
    private static let calls = 7
    /// When the loops run: when nothing of the crowd is due; and when its pings of 23:00 are to be announced, reminded
    /// of and judged, and those of tomorrow to be made.
    private static let moments = [
        "\(Day.date()) 12:00:00Z", "\(Day.date()) 23:00:30Z", "\(Day.date()) 23:15:30Z", "\(Day.date()) 23:31:30Z",
        "\(Day.date(1)) 00:00:30Z",
    ]

    private let meter: WorkMeter
    private let session: PostgresSession

    /// Connects a session whose plans are made with these statistics.
    init(_ crowd: CrowdHouse, _ statistics: CrowdHouse.Statistics) throws {
        try crowd.begin(statistics)
        meter = try WorkMeter(crowd.installation)
        session = try PostgresSession(url: crowd.installation.url(of: "kith_worker"))
    }

    /// What a loop does at a moment, when its items may be of another kind than at the others.
    struct Batch: Hashable {
        /// The loop's name, and whether it finds nothing to do.
        let loop: String
        let moment: String
    }

    /// The least work for an item of each batch; of a batch that finds nothing, the work as a whole.
    func least() async throws -> [Batch: MeasuredWork] {
        var least: [Batch: MeasuredWork] = [:]
        for moment in Self.moments {
            for loop in WorkerLoop.known {
                for _ in 1...Self.calls {
                    try await measure(loop.name, at: moment, into: &least) { try run(loop, at: moment) }
                }
            }
            for _ in 1...Self.calls {
                var claimed: [String] = []
                try await measure(Self.claim, at: moment, into: &least) {
                    claimed = try claim(at: moment)
                    return claimed.count
                }
                try await measure(Self.finish, at: moment, into: &least) { try finish(claimed, at: moment) }
            }
        }
        return least
    }

    private func measure(
        _ name: String, at moment: String, into least: inout [Batch: MeasuredWork], _ run: () throws -> Int
    ) async throws {
        let (done, work) = try await meter.work { try run() }
        let batch = Batch(loop: "\(name)\(done > 0 ? "" : ", nothing to do")", moment: moment)
        let items = max(done, 1)
        let measured = MeasuredWork(work: work.share(of: items), statements: try meter.statements(), items: items)
        least[batch] = least[batch]?.least(measured) ?? measured
    }

    /// What sends the messages, which are no loops: between the two, a worker speaks with a provider.
    static let (claim, finish) = ("claim_deliveries", "finish_deliveries")

    /// Claims pushes; the results with which the provider takes each of them, as JSON.
    private func claim(at moment: String) throws -> [String] {
        let claimed = try session.query(
            """
            select jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'sent')
            from worker.claim_deliveries($1::timestamptz, 'apns', $2, $2, 0, '{}', '{}', 'growth')
            """, [.text(moment), .int(Self.batch)])
        return (0..<claimed.rowCount).compactMap { claimed.string($0, 0) }
    }

    private func finish(_ results: [String], at moment: String) throws -> Int {
        try session.query(
            "select worker.finish_deliveries($1::timestamptz, 'growth', $2::jsonb)",
            [.text(moment), .text("[\(results.joined(separator: ","))]")]
        ).int(0, 0) ?? 0
    }

    private func run(_ loop: WorkerLoop, at moment: String) throws -> Int {
        var values = [PostgresValue.text(moment)]
        if loop.batch != nil { values.append(.int(min(loop.batch ?? 1, Self.batch))) }
        return try session.query(loop.statement.sql, values).int(0, 0) ?? 0
    }
}
