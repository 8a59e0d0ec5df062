public import EventLoop

/// The connections of one event loop, in lanes.
///
/// The pool keeps all connections open and reopens lost ones. The URL may name several hosts; with
/// `target_session_attrs=read-write` the pool uses the one that is the primary, and follows a fail-over. A request
/// never waits longer than its deadline, and never runs twice. Close the pool before you release it.
///
/// `@unchecked Sendable`: its state is accessed only on the loop's thread, which every function checks.
public final class PostgresPool: @unchecked Sendable {
    /// The loop that the pool runs on.
    public let loop: EventLoop
    private let lanes: [PostgresPoolLane]
    private let standby: PostgresStandby?
    private var isClosed = false
    /// The timeline of the newest primary that the pool has connected to.
    private var timeline = 0

    private static let cancelBackend = PostgresStatement(
        name: "cancel_backend", sql: "select pg_catalog.pg_cancel_backend($1::integer)")

    /// Creates a pool, which connects at ``start()``. `sessionSettings` are run-time parameters of every connection,
    /// such as `statement_timeout`. `readURL` names standbys of the same cluster, for the reads that say that they may
    /// use one. They get as many connections as the lane for reads.
    ///
    /// - Throws: `.invalidConfiguration` for a URL that libpq cannot read.
    public init(
        loop: EventLoop, url: String, readURL: String? = nil, applicationName: String,
        lanes: PostgresLanes = PostgresLanes(),
        sessionSettings: [(String, String)] = []
    ) throws(PostgresError) {
        let connector = PostgresConnector(
            connectionString: try ConnectionString(url, applicationName: applicationName, settings: sessionSettings))
        self.loop = loop
        self.lanes = PostgresLane.allCases.map {
            PostgresPoolLane(loop: loop, connector: connector, settings: lanes[$0])
        }
        let reads = self.lanes[PostgresLane.reads.rawValue]
        if let readURL {
            let connector = PostgresConnector(
                connectionString: try ConnectionString(
                    readURL, applicationName: applicationName, settings: sessionSettings))
            standby = PostgresStandby(
                loop: loop,
                lane: PostgresPoolLane(
                    loop: loop, connector: connector, settings: lanes[.reads], isOfStandby: true),
                primary: reads)
        } else {
            standby = nil
        }
        for lane in self.lanes {
            lane.cancelBackend = { [unowned reads] processID in
                _ = await reads.query(Self.cancelBackend, [.int(processID)], deadline: nil)
            }
            lane.admits = { [unowned self] in admit($0) }
        }
    }

    /// Starts to connect. Requests may be made immediately: for the first second they wait for a connection.
    public func start() {
        loop.preconditionCurrent()
        for lane in lanes { lane.start() }
        standby?.lane.start()
    }

    /// Runs a statement in a transaction of its own and returns its rows.
    ///
    /// `client` is a number that identifies one of those who share the pool, such as a tenant. No client gets more than
    /// three quarters of a lane's connections. nil is the process itself, which may use them all. `deadline` counts
    /// from now and includes the wait for room; nil means the lane's. Cancelling the task does not stop the statement.
    ///
    /// A statement that was refused because a migration replaced what it uses (``PostgresError/isOfReplacedObject``) is
    /// sent again, each time with a deadline of its own, after the waits of ``PostgresError/waitsAfterReplacement``.
    /// One in the lane for reads that waited too long for a lock is sent a second time: reads wait only for a
    /// migration, on its last stretch.
    ///
    /// With `mayUseStandby`, a standby may answer, if it has everything that was acknowledged before the call. The
    /// statement must change nothing, because the primary repeats it if the standby fails. The lane's deadline counts
    /// from then on; the attempt takes half a second at most.
    ///
    /// - Throws: `.server` when the statement was refused; `.unavailable` or `.timedOut` when there is no answer. In
    ///   the latter cases a statement that was sent may have run.
    public func query(
        _ statement: PostgresStatement, _ parameters: [PostgresValue], lane: PostgresLane = .reads,
        client: Int? = nil, deadline: Duration? = nil, mayUseStandby: Bool = false
    ) async throws(PostgresError) -> PostgresResult {
        loop.preconditionCurrent()
        guard ParameterBuffer.isSendable(parameters) else { throw .nulInText }
        if mayUseStandby, let standby,
            let answer = await standby.answer(statement, parameters, client: client)
        {
            return answer
        }
        let connections = lanes[lane.rawValue]
        var waits = PostgresError.waitsAfterReplacement[...]
        var mayWaitForLock = lane == .reads
        while true {
            do throws(PostgresError) {
                return try await connections.query(statement, parameters, client: client, deadline: deadline).get()
            } catch {
                if error.isOfReplacedObject, let wait = waits.popFirst() {
                    try? await loop.sleep(for: wait)
                } else if error.sqlState == .lockNotAvailable, mayWaitForLock {
                    mayWaitForLock = false
                } else {
                    throw error
                }
            }
        }
    }

    /// Runs `body` in a transaction. It commits when `body` returns, and rolls back when `body` throws or a statement
    /// in it was refused. `body` never runs twice.
    ///
    /// `client` is as for ``query(_:_:lane:client:deadline:)``. `deadline` is that of the whole transaction. It counts
    /// from now and includes the wait for a connection; nil means the lane's. A transaction costs two round trips
    /// besides those of its statements.
    ///
    /// - Throws: The error of `body`; `.unavailable` or `.timedOut` when there is no answer. In the latter cases a
    ///   commit that was sent may have happened.
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
            // After a refused statement, COMMIT would roll back and report success. Here it throws the refusal instead.
            _ = try await transaction.query(PostgresTransaction.commit)
            return value
        } catch {
            await transaction.rollBack()
            throw error
        }
    }

    /// Decides whether a connection to a server on `timeline` may be used, when it is not that of the newest primary.
    ///
    /// A former primary that was stopped or cut off takes writes again until it notices that it has been replaced. With
    /// synchronous replication it acknowledges none of them, but requests would wait for it in vain, and reads would
    /// show the past. If no connection to the newer primary is left, the earlier timeline is believed: the cluster may
    /// have been restored from a back-up.
    private func admit(_ timeline: Int) -> Bool {
        if timeline < self.timeline, lanes.contains(where: { $0.isConnected(to: self.timeline) }) { return false }
        if timeline > self.timeline { for lane in lanes { lane.drop(before: timeline) } }
        self.timeline = timeline
        return true
    }

    /// Refuses new requests, waits until the current ones are answered, and closes. Takes at most the longest deadline
    /// plus one second.
    public func drain() async {
        loop.preconditionCurrent()
        let all = lanes + [standby?.lane].compactMap(\.self)
        for lane in all { lane.refuse() }
        while all.contains(where: \.isBusy) {
            do throws(CancellationError) { try await loop.sleep(for: .milliseconds(5)) } catch { break }
        }
        close()
    }

    /// Closes every connection immediately. Requests in flight fail with `.unavailable`.
    public func close() {
        loop.preconditionCurrent()
        guard !isClosed else { return }
        isClosed = true
        for lane in lanes { lane.close() }
        standby?.lane.close()
    }

    /// What the standby has done; nil without one.
    public var standbyStatus: PostgresStandbyStatus? {
        loop.preconditionCurrent()
        return standby?.status
    }

    /// The state of a lane.
    public func status(of lane: PostgresLane) -> PostgresLaneStatus {
        loop.preconditionCurrent()
        return lanes[lane.rawValue].status
    }

    /// Whether a connection failed or was lost, and is not open again yet.
    public var hasFailed: Bool {
        PostgresLane.allCases.contains { status(of: $0).lastFailure != nil }
    }

    /// Whether every lane has a connection.
    public var isReady: Bool {
        PostgresLane.allCases.map(status).allSatisfy { $0.connected > 0 || $0.connections == 0 }
    }
}
