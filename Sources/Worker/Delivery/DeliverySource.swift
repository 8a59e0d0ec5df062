internal import Postgres

/// Provides the jobs of a ``DeliveryEngine``, performs them, and records their results.
protocol DeliverySource: Sendable {
    associatedtype Job: Sendable
    associatedtype Result: Sendable

    /// The name in the log and in the output of `--once`.
    var name: String { get }
    /// How many jobs may be in flight at once.
    var capacity: Int { get }
    /// Whether there is capacity for work that the last claim could not take.
    var hasRoomAgain: Bool { get }

    /// Claims the work that is due and has capacity; nil when there is no capacity.
    func claim() async throws(PostgresError) -> [Job]?
    /// Performs one job, outside any transaction, and returns its result.
    func perform(_ job: Job) async -> Result
    /// Records results.
    func finish(_ results: [Result]) async throws(PostgresError)
}
