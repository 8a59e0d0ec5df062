public import EventLoop

/// The connections of one event loop, in lanes.
///
/// It keeps every connection open and makes lost ones again; a request never waits longer than its deadline, and never
/// runs twice. Close it before letting it go.
///
/// `@unchecked Sendable`: its state is touched on the loop's thread only, which every function checks.
public final class PostgresPool: @unchecked Sendable {
    /// The loop that it lives on.
    public let loop: EventLoop
    private let lanes: [PostgresPoolLane]
    private var isClosed = false

    private static let cancelBackend = PostgresStatement(
        name: "cancel_backend", sql: "select pg_catalog.pg_cancel_backend($1::integer)")

    /// Makes a pool; it connects at ``start()``. `sessionSettings` are run-time parameters of every connection, such as
    /// `statement_timeout`.
    ///
    /// - Throws: `.invalidConfiguration` for a URL that libpq cannot read.
    public init(
        loop: EventLoop, url: String, applicationName: String, lanes: PostgresLanes = PostgresLanes(),
        sessionSettings: [(String, String)] = []
    ) throws(PostgresError) {
        let connector = PostgresConnector(
            connectionString: try ConnectionString(url, applicationName: applicationName, settings: sessionSettings))
        self.loop = loop
        self.lanes = PostgresLane.allCases.map {
            PostgresPoolLane(loop: loop, connector: connector, settings: lanes[$0])
        }
        for lane in self.lanes {
            let reads = self.lanes[PostgresLane.reads.rawValue]
            lane.cancelBackend = { [unowned reads] processID in
                _ = await reads.query(Self.cancelBackend, [.int(processID)], deadline: nil)
            }
        }
    }

    /// Begins to connect. Requests may be made at once: for the first second they wait for a connection.
    public func start() {
        loop.preconditionCurrent()
        for lane in lanes { lane.start() }
    }

    /// Runs a statement in a transaction of its own and gives its rows.
    ///
    /// `client` is any number of those who share the pool, a tenant's say: none of them gets more than three quarters of a lane's
    /// connections. nil is the process itself, which may have them all. `deadline` counts from now and includes the wait for
    /// room; nil means the lane's. Cancelling the task does not stop the statement.
    ///
    /// - Throws: `.server` when the statement was refused; `.unavailable` or `.timedOut` when there is no answer, which
    ///   does not say that a statement under way has not run.
    public func query(
        _ statement: PostgresStatement, _ parameters: [PostgresValue], lane: PostgresLane = .reads,
        client: Int? = nil, deadline: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        loop.preconditionCurrent()
        guard ParameterBuffer.isSendable(parameters) else { throw .nulInText }
        return try await lanes[lane.rawValue].query(statement, parameters, client: client, deadline: deadline).get()
    }

    /// Runs `body` in a transaction, which commits when it returns and is undone when it throws, or when a statement in it was
    /// refused although it returns. Never runs it twice.
    ///
    /// `client` is as for ``query(_:_:lane:client:deadline:)``. `deadline` counts from now, includes the wait for a connection, and
    /// is that of the whole transaction; nil means the lane's. Costs two round trips beside those of its statements.
    ///
    /// - Throws: what `body` throws; `.unavailable` or `.timedOut` when there is no answer, which does not say that a commit
    ///   under way has not happened.
    public func transaction<Value>(
        client: Int? = nil, deadline: Duration? = nil,
        _ body: (PostgresTransaction) async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        loop.preconditionCurrent()
        let lane = lanes[PostgresLane.transactions.rawValue]
        let transaction = try await lane.begin(client: client, deadline: deadline).get()
        defer { lane.end(transaction) }
        do throws(PostgresError) {
            _ = try await transaction.query(PostgresTransaction.begin)
            let value = try await body(transaction)
            // After a refusal COMMIT would undo the transaction and say that all is well.
            _ = try await transaction.query(PostgresTransaction.commit)
            return value
        } catch {
            await transaction.rollBack()
            throw error
        }
    }

    /// Refuses what comes from now on, waits until what is in hand is answered, and closes. Takes no longer than the
    /// longest deadline and a second.
    public func drain() async {
        loop.preconditionCurrent()
        for lane in lanes { lane.refuse() }
        while lanes.contains(where: \.isBusy) {
            do throws(CancellationError) { try await loop.sleep(for: .milliseconds(5)) } catch { break }
        }
        close()
    }

    /// Closes every connection at once; requests under way fail with `.unavailable`.
    public func close() {
        loop.preconditionCurrent()
        guard !isClosed else { return }
        isClosed = true
        for lane in lanes { lane.close() }
    }

    /// What a lane is doing.
    public func status(of lane: PostgresLane) -> PostgresLaneStatus {
        loop.preconditionCurrent()
        return lanes[lane.rawValue].status
    }

    /// Whether a connection could not be made, or was lost, and does not stand again yet.
    public var hasFailed: Bool {
        PostgresLane.allCases.contains { status(of: $0).lastFailure != nil }
    }

    /// Whether every lane has a connection.
    public var isReady: Bool {
        PostgresLane.allCases.map(status).allSatisfy { $0.connected > 0 || $0.connections == 0 }
    }
}
