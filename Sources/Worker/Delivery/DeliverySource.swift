internal import Postgres

/// What a ``DeliveryEngine`` works on: where its jobs come from, how one is done, and where the results go.
protocol DeliverySource: Sendable {
    associatedtype Job: Sendable
    associatedtype Result: Sendable

    /// What the log and `--once` call it.
    var name: String { get }
    /// How many jobs may be under way at once.
    var capacity: Int { get }
    /// Whether it has something to give that the last claim could not have had.
    var hasRoomAgain: Bool { get }

    /// Takes what is to be done now and has room; nil when there is no room.
    func claim() async throws(PostgresError) -> [Job]?
    /// Does one, outside any transaction, and says what became of it.
    func perform(_ job: Job) async -> Result
    /// Records what became of some.
    func finish(_ results: [Result]) async throws(PostgresError)
}
