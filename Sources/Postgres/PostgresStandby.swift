internal import EventLoop

/// The connections to a standby, and the rule by which it answers reads (decision 30).
///
/// A read asks the primary how far its log goes, and the standby answers once it has replayed that much. So the answer
/// contains every write that was acknowledged before the read began, whichever server took it. Reads that begin while
/// such a question is under way share the next one.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, by its pool.
final class PostgresStandby: @unchecked Sendable {
    private let loop: EventLoop
    let lane: PostgresPoolLane
    /// The primary's connections, which tell its position.
    private let primary: PostgresPoolLane
    private var state = PostgresStandbyState()
    private var waiting: [UnsafeContinuation<PostgresPosition?, Never>] = []
    private var isAsking = false
    /// The numbers of statements that a standby refuses, because they write.
    private var refused: Set<Int> = []
    private var counts = PostgresStandbyStatus()

    /// How long a read may wait for the primary's position, and then for the standby.
    private static let patience = Duration.milliseconds(250)

    init(loop: EventLoop, lane: PostgresPoolLane, primary: PostgresPoolLane) {
        self.loop = loop
        self.lane = lane
        self.primary = primary
    }

    var status: PostgresStandbyStatus {
        var status = counts
        status.pools = 1
        status.inRotation = state.isInRotation && lane.status.connected > 0 ? 1 : 0
        return status
    }

    /// The answer of the standby; nil if the primary has to answer. A refusal of the statement is repeated there too,
    /// because a read changes nothing.
    func answer(_ statement: PostgresStatement, _ parameters: [PostgresValue], client: Int?) async -> PostgresResult? {
        guard lane.status.connected > 0, !refused.contains(statement.number), state.mayTry(now: loop.now) else {
            counts.primary += 1
            return nil
        }
        guard let position = await position() else {
            state.failed(now: loop.now, jitter: .random(in: 0..<1))
            counts.failed += 1
            counts.primary += 1
            return nil
        }
        let answer = await lane.query(
            statement, parameters, after: position.isReplayed, client: client, deadline: Self.patience)
        switch answer {
        case .success(let result):
            state.succeeded()
            counts.standby += 1
            return result
        case .failure(.server(let error)):
            if error.sqlState == .readOnlyTransaction { refused.insert(statement.number) }
            state.succeeded()
        case .failure:
            state.failed(now: loop.now, jitter: .random(in: 0..<1))
            counts.failed += 1
        }
        counts.primary += 1
        return nil
    }

    /// The primary's position at an instant after the call; nil if it does not tell.
    private func position() async -> PostgresPosition? {
        await withUnsafeContinuation { continuation in
            waiting.append(continuation)
            if !isAsking { ask() }
        }
    }

    private func ask() {
        isAsking = true
        let asking = waiting
        waiting = []
        loop.spawn { [self] in
            let answer = await primary.query(PostgresPosition.statement, [], deadline: Self.patience)
            let position = (try? answer.get()).flatMap { PostgresPosition($0) }
            for continuation in asking { continuation.resume(returning: position) }
            isAsking = false
            if !waiting.isEmpty { ask() }
        }
    }
}

/// What a pool's standby has done, for metrics.
public struct PostgresStandbyStatus: Sendable {
    /// The reads that the standby answered.
    public internal(set) var standby = 0
    /// The reads that the primary answered although the standby could have been asked.
    public internal(set) var primary = 0
    /// The reads among those of the primary for which the standby was behind or did not answer, or the primary did not
    /// tell its position.
    public internal(set) var failed = 0
    /// The number of pools with a standby, and of those whose standby answers reads now.
    public internal(set) var pools = 0
    /// See ``pools``.
    public internal(set) var inRotation = 0

    /// Adds the state of another loop's pool.
    public static func += (total: inout PostgresStandbyStatus, other: PostgresStandbyStatus) {
        total.standby += other.standby
        total.primary += other.primary
        total.failed += other.failed
        total.pools += other.pools
        total.inRotation += other.inRotation
    }
}
