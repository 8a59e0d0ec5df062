internal import EventLoop

/// A request in a lane.
enum PostgresRequest {
    /// A statement, the condition that must hold before it, and the continuation that waits for its answer.
    case statement(
        PostgresStatement, [PostgresValue], PostgresCondition?,
        UnsafeContinuation<Result<PostgresResult, PostgresError>, Never>)
    /// A connection for all statements of a transaction, until it ends.
    case transaction(PostgresTransaction)
}

/// The connections of one lane. It carries out what ``PostgresLaneState`` decides.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread. `PostgresPool`, its only user, checks that, and the
/// connecting threads return through `EventLoop.execute`.
final class PostgresPoolLane: @unchecked Sendable {
    private let loop: EventLoop
    private let connector: PostgresConnector
    private let settings: PostgresLaneSettings
    /// Whether the server is meant to be read-only.
    private let isOfStandby: Bool
    private var state: PostgresLaneState<PostgresRequest>
    private var connections: [PostgresConnection?]
    /// The transactions that have a connection, by slot.
    private var transactions: [Int: PostgresTransaction] = [:]
    private var isClosed = false
    private var isTicking = false
    private var lastFailure: PostgresError?

    /// Asks the server, over another connection, to cancel what a process runs. Set by the pool.
    var cancelBackend: @Sendable (_ processID: Int) async -> Void = { _ in }

    /// Decides whether a connection to a server on this timeline may be used. Set by the pool.
    var admits: (_ timeline: Int) -> Bool = { _ in true }

    /// The precision of deadlines.
    private static let tick = Duration.milliseconds(20)

    init(
        loop: EventLoop, connector: PostgresConnector, settings: PostgresLaneSettings, isOfStandby: Bool = false
    ) {
        self.isOfStandby = isOfStandby
        self.loop = loop
        self.connector = connector
        self.settings = settings
        state = PostgresLaneState(settings: settings, now: .now)
        connections = Array(repeating: nil, count: settings.connections)
    }

    /// Opens the connections.
    func start() {
        if let first = state.start(now: .now) { connect(first) }
    }

    func query(
        _ statement: PostgresStatement, _ parameters: [PostgresValue], after condition: PostgresCondition? = nil,
        client: Int? = nil, deadline: Duration?
    ) async -> Result<PostgresResult, PostgresError> {
        await withUnsafeContinuation { continuation in
            submit(
                .statement(statement, parameters, condition, continuation), of: client,
                deadline: loop.now + (deadline ?? settings.deadline))
        }
    }

    /// Gives a transaction a connection; ``end(_:)`` must follow. The deadline is that of the whole transaction.
    func begin(client: Int?, deadline: Duration?) async -> Result<PostgresTransaction, PostgresError> {
        precondition(settings.depth == 1, "nothing may go between the statements of a transaction")
        let transaction = PostgresTransaction(lane: self)
        return await withUnsafeContinuation { continuation in
            transaction.wait(for: continuation)
            submit(
                .transaction(transaction), of: client, deadline: loop.now + (deadline ?? settings.deadline))
        }
    }

    /// Sends a statement on the connection of a transaction.
    func send(_ statement: PostgresStatement, _ parameters: [PostgresValue], in slot: Int) {
        connections[slot]?.send(statement, parameters)
    }

    /// Takes the connection back, if the transaction still has it.
    func end(_ transaction: PostgresTransaction) {
        transaction.ended()
        guard let slot = transaction.slot, transactions[slot] === transaction else { return }
        transactions[slot] = nil
        if let next = state.finished(slot, now: loop.now).next { send(next, slot) }
    }

    /// Refuses new requests.
    func refuse() {
        state.close()
    }

    /// Closes every connection. Requests that are in flight or waiting fail.
    func close() {
        isClosed = true
        state.close()
        for slot in connections.indices {
            connections[slot]?.close()
            lost(slot, .unavailable(reason: PostgresLaneState<PostgresRequest>.Refusal.closing.rawValue))
        }
    }

    var isBusy: Bool { state.isBusy }

    var status: PostgresLaneStatus {
        PostgresLaneStatus(
            connections: connections.count, connected: state.connected, inFlight: state.inFlight,
            waiting: state.waitingCount,
            lastFailure: state.connected == connections.count ? nil : lastFailure?.description)
    }

    // MARK: - Requests

    private func submit(_ request: PostgresRequest, of client: Int?, deadline: ContinuousClock.Instant) {
        switch state.submit(request, client: client, deadline: deadline, now: loop.now) {
        case .send(let slot): send(request, slot)
        case .wait: break
        case .refuse(let refusal):
            fail([request], refusal)
            return
        }
        if !isTicking { tickLater() }
    }

    private func send(_ request: PostgresRequest, _ slot: Int) {
        switch request {
        case .statement(let statement, let parameters, let condition, _):
            connections[slot]?.send(statement, parameters, after: condition)
        case .transaction(let transaction):
            transactions[slot] = transaction
            transaction.granted(slot)
        }
    }

    private func answered(_ slot: Int, _ answer: Result<PostgresResult, PostgresError>) {
        if !isOfStandby, case .failure(let error) = answer, error.sqlState == .readOnlyTransaction {
            // The server has become a standby. The next attempt to connect looks for the primary.
            drop(slot, .unavailable(reason: "the server is read-only"))
            return
        }
        if let transaction = transactions[slot] {
            transaction.answered(answer)
            return
        }
        if case .failure(let error) = answer, error.isOfWrongServer {
            // A standby that was promoted keeps its sessions. The next attempt to connect may find another one.
            drop(slot, error)
            return
        }
        let finish = state.finished(slot, now: loop.now)
        if case .statement(_, _, _, let continuation)? = finish.answered { continuation.resume(returning: answer) }
        if let next = finish.next {
            send(next, slot)
            while let further = state.further(slot, now: loop.now) { send(further, slot) }
        }
    }

    private func fail(_ requests: [PostgresRequest], _ error: PostgresError) {
        for request in requests {
            switch request {
            case .statement(_, _, _, let continuation): continuation.resume(returning: .failure(error))
            case .transaction(let transaction): transaction.failed(error)
            }
        }
    }

    private func fail(_ requests: [PostgresRequest], _ refusal: PostgresLaneState<PostgresRequest>.Refusal) {
        fail(requests, .unavailable(reason: refusal.rawValue))
    }

    // MARK: - Connections

    private func connect(_ slot: Int) {
        guard !isClosed else { return }
        connector.open { [self] result in loop.execute { [self] in opened(slot, result) } }
    }

    private func opened(_ slot: Int, _ result: Result<OpenedConnection, PostgresError>) {
        switch result {
        case .failure(let error): lost(slot, error)
        case .success(let opened):
            let connection = PostgresConnection(
                loop: loop, opened: opened, onAnswer: { [unowned self] in answered(slot, $0) },
                onLoss: { [unowned self] in lost(slot, $0) })
            guard let connection else {
                lost(slot, .unavailable(reason: "the connection was lost"))
                return
            }
            guard !isClosed else {
                connection.close()
                return
            }
            guard connection.timeline.map(admits) ?? true else {
                connection.close()
                lost(slot, .unavailable(reason: "the server is a former primary"))
                return
            }
            connections[slot] = connection
            let opening = state.connected(slot, now: loop.now)
            for request in opening.sent { send(request, slot) }
            for next in opening.open { connect(next) }
        }
    }

    /// Handles the loss of a connection. Nothing is sent again, because only the server knows whether a request has
    /// run.
    private func lost(_ slot: Int, _ error: PostgresError) {
        connections[slot] = nil
        transactions.removeValue(forKey: slot)?.failed(error)
        lastFailure = error
        let loss = state.lost(slot, now: loop.now, jitter: .random(in: 0..<1))
        fail(loss.failed, error)
        fail(loss.refused, .noConnection)
        guard !isClosed, let delay = loss.retryAfter else { return }
        loop.schedule(after: delay) { [weak self] in self?.connect(slot) }
    }

    private func drop(_ slot: Int, _ error: PostgresError) {
        connections[slot]?.close()
        lost(slot, error)
    }

    /// Whether there is a connection to a server on this timeline.
    func isConnected(to timeline: Int) -> Bool {
        connections.contains { $0?.timeline == timeline }
    }

    /// Closes the connections to servers on earlier timelines. Another server has been promoted since, so these may
    /// no longer be the primary. Requests in flight on them fail.
    func drop(before timeline: Int) {
        for slot in connections.indices where connections[slot]?.timeline.map({ $0 < timeline }) ?? false {
            drop(slot, .unavailable(reason: "the server is a former primary"))
        }
    }

    // MARK: - Deadlines

    private func tickLater() {
        isTicking = true
        loop.schedule(after: Self.tick) { [weak self] in self?.tick() }
    }

    private func tick() {
        isTicking = false
        let overdue = state.tick(now: loop.now)
        fail(overdue.refused, .noConnection)
        fail(overdue.expired, .noRoom)
        fail(overdue.timedOut, .timedOut)
        for slot in overdue.cancel { cancel(slot) }
        // A transaction past its deadline would keep its locks until its connection counts as dead, so close the
        // connection now.
        for case .transaction(let transaction) in overdue.timedOut {
            guard let slot = transaction.slot, transactions[slot] === transaction else { continue }
            drop(slot, .timedOut)
        }
        // A late tick may list one connection in both. It must be lost only once.
        for slot in overdue.close {
            guard let connection = connections[slot] else { continue }
            connector.fellSilent(connection.host)
            drop(slot, .unavailable(reason: "the server does not answer"))
        }
        if state.isBusy { tickLater() }
    }

    private func cancel(_ slot: Int) {
        guard let connection = connections[slot] else { return }
        loop.spawn { [self] in
            await cancelBackend(connection.backendPID)
            guard connections[slot] === connection, let next = state.cancelled(slot, now: loop.now) else { return }
            send(next, slot)
        }
    }
}
