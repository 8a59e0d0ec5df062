internal import CLibPQ
internal import EventLoop

/// A connection just opened, on its way from the thread that opened it to the loop.
///
/// `@unchecked Sendable`: whoever opened it keeps no pointer to it.
struct OpenedConnection: @unchecked Sendable {
    let handle: OpaquePointer
}

/// A connection in pipeline mode on an event loop: statements go out without waiting for the answers of those before,
/// and the answers come in the same order.
///
/// Each statement is followed by a Sync, so it is a transaction of its own and its error touches no other. libpq 15
/// sends at every Sync: one system call a statement.
///
/// `@unchecked Sendable`: touched on the loop's thread only: by its lane, which lives there, and by the loop's
/// call-backs.
final class PostgresConnection: @unchecked Sendable {
    private struct Sent {
        let statement: PostgresStatement
        /// How many results come before the statement's own: those of DEALLOCATE and of preparing.
        let preliminaries: Int
    }

    /// What a connection knows of a statement.
    private enum Preparation: UInt8 {
        case unknown
        case prepared
        /// Prepared, but the server refuses it since the schema has changed: to be deallocated and prepared again.
        case stale
    }

    private let loop: EventLoop
    private let handle: OpaquePointer
    private let onAnswer: (Result<PostgresResult, PostgresError>) -> Void
    private let onLoss: (PostgresError) -> Void
    private var watch: Watch?
    private var parameters = ParameterBuffer()
    /// By `PostgresStatement.number`.
    private var preparations: [Preparation] = []
    private var sent = Deque<Sent>()
    private var isLost = false

    // What has come of the answer to the front statement.
    private var preliminariesSeen = 0
    private var result: PostgresResult?
    private var error: PostgresError?
    private var isTaking = false
    private var emptyResults = 0

    /// The process that serves the connection.
    let backendPID: Int

    /// Takes over an open connection. `onAnswer` is called once for each statement, in order; `onLoss` once at most,
    /// and then nothing more.
    init?(
        loop: EventLoop, opened: OpenedConnection, onAnswer: @escaping (Result<PostgresResult, PostgresError>) -> Void,
        onLoss: @escaping (PostgresError) -> Void
    ) {
        self.loop = loop
        handle = opened.handle
        backendPID = Int(PQbackendPID(handle))
        self.onAnswer = onAnswer
        self.onLoss = onLoss
        // Without a receiver libpq writes notices to standard error, and they may quote people's data.
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

    /// Ends the connection; no call-back follows.
    func close() {
        guard !isLost else { return }
        isLost = true
        watch?.cancel()
        PQfinish(handle)
    }

    /// Sends a statement. A failure is reported as the loss of the connection.
    func send(_ statement: PostgresStatement, _ values: [PostgresValue]) {
        guard !isLost else { return }
        parameters.fill(values)
        let name = statement.serverNameC.first
        var preliminaries = 0
        let preparation = preparation(of: statement)
        if preparation != .prepared {
            if preparation == .stale {
                preliminaries += 1
                PQsendQueryParams(handle, "deallocate \"\(statement.serverName)\"", 0, nil, nil, nil, nil, 0)
            }
            preliminaries += 1
            PQsendPrepare(handle, name, statement.sql, 0, nil)
            preparations[statement.number] = .prepared
        }
        sent.append(Sent(statement: statement, preliminaries: preliminaries))
        guard
            PQsendQueryPrepared(
                handle, name, parameters.count, parameters.values, parameters.lengths, parameters.formats,
                statement.hasBinaryResults ? 1 : 0) == 1,
            PQpipelineSync(handle) == 1
        else {
            lose()
            return
        }
        flush()
        // When the socket is full libpq reads what has come in while it waits for room: epoll will not tell of that.
        if !isTaking, !isLost, PQisBusy(handle) == 0 { loop.execute { [weak self] in self?.takeAnswers() } }
    }

    private func ready(_ interest: Interest) {
        if interest.contains(.writable) { flush() }
        guard !isLost else { return }
        let isOpen = !interest.contains(.readable) || PQconsumeInput(handle) == 1
        // Also after writing alone, for the reason given in `send`.
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

    /// Takes what libpq has complete. For each statement there come the results of its preliminaries and its own, each
    /// with a null after it, and then the Sync's.
    private func takeAnswers() {
        isTaking = true
        defer { isTaking = false }
        while !isLost, let front = sent.first, PQisBusy(handle) == 0 {
            guard let answer = PQgetResult(handle) else {
                emptyResults += 1
                // Two in a row: libpq expects no more answers although we do, so the connection is broken.
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
                PQclear(answer)
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
        if preliminariesSeen < front.preliminaries {
            note(.unknown, of: front.statement)
        } else if failure.sqlState == .featureNotSupported {
            note(.stale, of: front.statement)
        } else if failure.sqlState == .invalidStatementName {
            // The request in front was to prepare the statement and failed. This one has not run.
            note(.unknown, of: front.statement)
            error = .unavailable(reason: "the statement could not be prepared")
        }
    }

    /// Takes note of what an answer tells of a statement, unless a request already under way prepares it anew.
    private func note(_ preparation: Preparation, of statement: PostgresStatement) {
        let isUnderWay = (1..<max(1, sent.count)).contains {
            sent[$0].preliminaries > 0 && sent[$0].statement === statement
        }
        if !isUnderWay { preparations[statement.number] = preparation }
    }

    private func finish() {
        _ = sent.popFirst()
        preliminariesSeen = 0
        // An error after a result comes from the commit (a deferred constraint): it counts.
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
