/// A transaction of several statements. Between them its caller decides what comes next, and nobody else uses its
/// connection.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread: by its lane, which lives there, and by
/// ``query(_:_:)``, which the closure of `PostgresPool.transaction` calls there.
public final class PostgresTransaction: @unchecked Sendable {
    private let lane: PostgresPoolLane
    private var beginning: UnsafeContinuation<Result<PostgresTransaction, PostgresError>, Never>?
    private var asking: UnsafeContinuation<Result<PostgresResult, PostgresError>, Never>?
    /// The index of its connection in the lane; nil until it has one.
    private(set) var slot: Int?
    /// The error that ended the transaction.
    private(set) var failure: PostgresError?

    init(lane: PostgresPoolLane) {
        self.lane = lane
    }

    /// Runs a statement in the transaction and returns its rows. Only one may run at a time.
    ///
    /// - Throws: `.server` when the statement was refused, after which the transaction can only roll back;
    ///   `.unavailable` or `.timedOut` when the connection is lost, and the transaction with it.
    public func query(
        _ statement: PostgresStatement, _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresResult {
        if let failure { throw failure }
        guard ParameterBuffer.isSendable(parameters) else { throw .nulInText }
        return try await send(statement, parameters).get()
    }

    /// Rolls back, if there is still a connection.
    func rollBack() async {
        if case .server? = failure { failure = nil }
        guard failure == nil else { return }
        _ = await send(Self.rollback, [])
    }

    static let begin = PostgresStatement(name: "begin", sql: "begin")
    static let commit = PostgresStatement(name: "commit", sql: "commit")
    private static let rollback = PostgresStatement(name: "rollback", sql: "rollback")

    private func send(
        _ statement: PostgresStatement, _ parameters: [PostgresValue]
    ) async -> Result<PostgresResult, PostgresError> {
        guard let slot else { preconditionFailure("a transaction that has no connection") }
        precondition(asking == nil, "a transaction runs one statement at a time")
        return await withUnsafeContinuation { continuation in
            asking = continuation
            lane.send(statement, parameters, in: slot)
        }
    }

    // MARK: - For the lane

    func wait(for continuation: UnsafeContinuation<Result<PostgresTransaction, PostgresError>, Never>) {
        beginning = continuation
    }

    func granted(_ slot: Int) {
        self.slot = slot
        let beginning = beginning
        self.beginning = nil
        beginning?.resume(returning: .success(self))
    }

    func answered(_ answer: Result<PostgresResult, PostgresError>) {
        if case .failure(let error) = answer { failure = error }
        let asking = asking
        self.asking = nil
        asking?.resume(returning: answer)
    }

    /// Records that the connection may be another's from now on.
    func ended() {
        failure = failure ?? .unavailable(reason: "the transaction has ended")
    }

    /// Records that the connection is lost, or that the transaction never got one.
    func failed(_ error: PostgresError) {
        failure = error
        let beginning = beginning
        let asking = asking
        self.beginning = nil
        self.asking = nil
        beginning?.resume(returning: .failure(error))
        asking?.resume(returning: .failure(error))
    }
}
