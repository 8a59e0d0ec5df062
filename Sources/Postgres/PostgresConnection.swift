internal import CLibPQ
internal import EventLoop

/// A connection in pipeline mode on an event loop. Statements are sent without waiting for earlier answers, and the
/// answers arrive in the same order.
///
/// Each statement is followed by a Sync, so that it is a transaction of its own and its error affects no other
/// statement. libpq 15 sends at every Sync, so a statement costs one system call.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, by its lane, which lives there, and by the loop's
/// callbacks.
final class PostgresConnection: @unchecked Sendable {
    private struct Sent {
        let statement: PostgresStatement
        /// The number of results that precede the statement's own: those of DEALLOCATE and PREPARE, and the answer to
        /// its condition.
        let preliminaries: Int
        let hasCondition: Bool
    }

    /// The state of a prepared statement on this connection.
    private enum Preparation: UInt8 {
        case unknown
        case prepared
        /// The statement is prepared, but the server refuses it since the schema changed. It must be deallocated and
        /// prepared again.
        case stale
    }

    private let loop: EventLoop
    private let handle: OpaquePointer
    private let onAnswer: (Result<PostgresResult, PostgresError>) -> Void
    private let onLoss: (PostgresError) -> Void
    private var watch: Watch?
    private var parameters = ParameterBuffer()
    /// Indexed by `PostgresStatement.number`.
    private var preparations: [Preparation] = []
    private var sent = Deque<Sent>()
    private var isLost = false

    // The received part of the answer to the front statement.
    private var preliminariesSeen = 0
    private var unmet: PostgresError?
    private var result: PostgresResult?
    private var error: PostgresError?
    private var isTaking = false
    private var emptyResults = 0

    /// The process id of the server process behind the connection.
    let backendPID: Int
    /// The host's index in the URL.
    let host: Int
    /// The server's timeline when the connection was opened, if it is known.
    let timeline: Int?

    /// Takes over an open connection. `onAnswer` is called once for each statement, in order. `onLoss` is called at
    /// most once, and nothing after it.
    init?(
        loop: EventLoop, opened: OpenedConnection, onAnswer: @escaping (Result<PostgresResult, PostgresError>) -> Void,
        onLoss: @escaping (PostgresError) -> Void
    ) {
        self.loop = loop
        handle = opened.handle
        host = opened.host
        timeline = opened.timeline
        backendPID = Int(PQbackendPID(handle))
        self.onAnswer = onAnswer
        self.onLoss = onLoss
        // Without a receiver, libpq writes notices to standard error. They may quote people's data.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            PQfinish(handle)
            isLost = true
            return nil
        }
        watch = loop.watch(PQsocket(handle), for: .readable) { [unowned self] in ready($0) }
    }

    deinit {
        close()
    }

    /// Closes the connection. No callback follows.
    func close() {
        guard !isLost else { return }
        isLost = true
        watch?.cancel()
        PQfinish(handle)
    }

    /// Sends a statement, with its condition before it. A failure is reported as the loss of the connection.
    func send(_ statement: PostgresStatement, _ values: [PostgresValue], after condition: PostgresCondition? = nil) {
        guard !isLost else { return }
        var preliminaries = prepare(statement)
        if let condition {
            preliminaries += prepare(condition.statement) + 1
            parameters.fill(condition.parameters)
            guard execute(condition.statement) else {
                lose()
                return
            }
        }
        parameters.fill(values)
        sent.append(Sent(statement: statement, preliminaries: preliminaries, hasCondition: condition != nil))
        guard execute(statement), PQpipelineSync(handle) == 1 else {
            lose()
            return
        }
        flush()
        // When the socket is full, libpq reads incoming data while it waits for room. epoll will not report that data.
        if !isTaking, !isLost, PQisBusy(handle) == 0 { loop.execute { [weak self] in self?.takeAnswers() } }
    }

    /// Prepares a statement that is not prepared yet. Returns the number of results that this has.
    private func prepare(_ statement: PostgresStatement) -> Int {
        var preliminaries = 0
        let preparation = preparation(of: statement)
        if preparation != .prepared {
            if preparation == .stale {
                preliminaries += 1
                PQsendQueryParams(handle, "deallocate \"\(statement.serverName)\"", 0, nil, nil, nil, nil, 0)
            }
            preliminaries += 1
            PQsendPrepare(handle, statement.serverNameC.first, statement.sql, 0, nil)
            preparations[statement.number] = .prepared
        }
        return preliminaries
    }

    /// Sends a prepared statement with the present parameters.
    private func execute(_ statement: PostgresStatement) -> Bool {
        PQsendQueryPrepared(
            handle, statement.serverNameC.first, parameters.count, parameters.values, parameters.lengths,
            parameters.formats, statement.hasBinaryResults ? 1 : 0) == 1
    }

    private func ready(_ interest: Interest) {
        if interest.contains(.writable) { flush() }
        guard !isLost else { return }
        let isOpen = !interest.contains(.readable) || PQconsumeInput(handle) == 1
        // Also do this when the socket is only writable, for the reason given in `send`.
        takeAnswers()
        if !isOpen { lose() }
    }

    private func flush() {
        switch PQflush(handle) {
        case 0: watch?.update(.readable)
        case 1: watch?.update([.readable, .writable])
        default: lose()
        }
    }

    /// Takes the answers that libpq has completely. For each statement there are the results of its preliminaries and
    /// its own, each followed by a null, and then the result of the Sync.
    private func takeAnswers() {
        isTaking = true
        defer { isTaking = false }
        while !isLost, let front = sent.first, PQisBusy(handle) == 0 {
            guard let answer = PQgetResult(handle) else {
                emptyResults += 1
                // Two in a row mean that libpq expects no more answers although we do, so the connection is broken.
                if emptyResults > 1 { lose() }
                continue
            }
            emptyResults = 0
            take(answer, for: front)
        }
    }

    private func take(_ answer: OpaquePointer, for front: Sent) {
        switch PQresultStatus(answer) {
        case PGRES_PIPELINE_SYNC:
            PQclear(answer)
            finish()
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            if preliminariesSeen < front.preliminaries {
                preliminariesSeen += 1
                if front.hasCondition, preliminariesSeen == front.preliminaries {
                    let answer = PostgresResult(owning: answer)
                    unmet = PostgresCondition.failure(answer.rowCount == 1 ? answer.bool(0, 0) : nil)
                } else {
                    PQclear(answer)
                }
            } else {
                result = PostgresResult(owning: answer)
            }
        case PGRES_PIPELINE_ABORTED:
            PQclear(answer)
        default:
            fail(front, PostgresError(failed: answer))
            PQclear(answer)
        }
    }

    private func fail(_ front: Sent, _ failure: PostgresError) {
        error = failure
        if front.hasCondition, preliminariesSeen < front.preliminaries {
            // It is unclear which of the two statements is prepared now.
            lose()
        } else if preliminariesSeen < front.preliminaries {
            note(.unknown, of: front.statement)
        } else if failure.sqlState == .featureNotSupported {
            note(.stale, of: front.statement)
        } else if failure.sqlState == .invalidStatementName {
            // An earlier request was to prepare the statement and failed, so this one has not run.
            note(.unknown, of: front.statement)
            error = .unavailable(reason: "the statement could not be prepared")
        }
    }

    /// Records what an answer shows about a statement, unless a request in flight prepares it again.
    private func note(_ preparation: Preparation, of statement: PostgresStatement) {
        let isUnderWay = (1..<max(1, sent.count)).contains {
            sent[$0].preliminaries > 0 && sent[$0].statement === statement
        }
        if !isUnderWay { preparations[statement.number] = preparation }
    }

    private func finish() {
        _ = sent.popFirst()
        preliminariesSeen = 0
        if let unmet { error = unmet }
        unmet = nil
        // An error after a result comes from the commit, for example from a deferred constraint. It takes precedence.
        let answer: Result<PostgresResult, PostgresError> =
            if let error { .failure(error) } else if let result { .success(result) } else {
                .failure(.unavailable(reason: "the server gave no result"))
            }
        error = nil
        result = nil
        onAnswer(answer)
    }

    private func lose() {
        guard !isLost else { return }
        let message = String(cString: PQerrorMessage(handle)).split(separator: "\n").joined(separator: " ")
        close()
        onLoss(.unavailable(reason: message.isEmpty ? "the connection was lost" : message))
    }

    private func preparation(of statement: PostgresStatement) -> Preparation {
        while preparations.count <= statement.number { preparations.append(.unknown) }
        return preparations[statement.number]
    }
}
