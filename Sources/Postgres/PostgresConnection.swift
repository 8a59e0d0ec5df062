internal import CLibPQ
internal import EventLoop

/// A connection just opened, on its way from the thread that opened it to the loop.
///
/// `@unchecked Sendable`: whoever opened it keeps no pointer to it.
struct OpenedConnection: @unchecked Sendable {
    let handle: OpaquePointer
}

/// What has become of a statement.
enum PostgresAnswer {
    /// The server has said how it ended.
    case given(Result<PostgresResult, PostgresError>)
    /// It has not run: one before it, in the same transaction, was refused.
    case notRun
}

/// A connection in pipeline mode on an event loop: statements go out without waiting for the answers of those before,
/// and the answers come in the same order.
///
/// A statement that is sent with a Sync is a transaction of its own, and its error touches no other. Those that are sent
/// without one share the transaction that the next ``sync()`` ends: a commit, and a system call on either side, for all of
/// them (libpq 15 sends at every Sync). After an error the rest of them does not run.
///
/// `@unchecked Sendable`: touched on the loop's thread only: by its lane, which lives there, and by the loop's
/// call-backs.
final class PostgresConnection: @unchecked Sendable {
    /// What the server is to answer next.
    private enum Awaited {
        /// A statement's results: `preliminaries` of DEALLOCATE and of preparing, and then its own.
        case statement(PostgresStatement, preliminaries: Int)
        /// The end of a transaction.
        case sync
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
    private let onAnswer: (PostgresAnswer) -> Void
    private let onLoss: (PostgresError) -> Void
    private var watch: Watch?
    private var parameters = ParameterBuffer()
    /// By `PostgresStatement.number`.
    private var preparations: [Preparation] = []
    private var awaited = Fifo<Awaited>()
    /// How many statements have been sent since the last Sync.
    private(set) var unsynced = 0
    private var isLost = false

    // What has come of the answer to the front statement.
    private var resultsSeen = 0
    private var result: PostgresResult?
    private var error: PostgresError?
    /// The answers of the transaction that is being answered: what they are worth its end tells.
    private var answers: [PostgresAnswer] = []
    private var isTaking = false
    private var emptyResults = 0

    /// The process that serves the connection.
    let backendPID: Int

    /// Takes over an open connection. `onAnswer` is called once for each statement, in order; `onLoss` once at most,
    /// and then nothing more.
    init?(
        loop: EventLoop, opened: OpenedConnection, onAnswer: @escaping (PostgresAnswer) -> Void,
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

    /// Sends a statement, in a transaction of its own or in one with those that were sent since the last Sync, which a
    /// ``sync()`` must follow. A failure is reported as the loss of the connection.
    func send(_ statement: PostgresStatement, _ values: [PostgresValue], sharing: Bool = false) {
        guard !isLost else { return }
        let preparation = preparation(of: statement)
        // What has to be prepared first must not depend on another's luck.
        let isAlone = !sharing || preparation != .prepared
        if isAlone { sync() }
        guard !isLost else { return }
        parameters.fill(values)
        let name = statement.serverNameC.first
        var preliminaries = 0
        if preparation != .prepared {
            if preparation == .stale {
                preliminaries += 1
                PQsendQueryParams(handle, "deallocate \"\(statement.serverName)\"", 0, nil, nil, nil, nil, 0)
            }
            preliminaries += 1
            PQsendPrepare(handle, name, statement.sql, 0, nil)
            preparations[statement.number] = .prepared
        }
        awaited.append(.statement(statement, preliminaries: preliminaries))
        unsynced += 1
        guard
            PQsendQueryPrepared(
                handle, name, parameters.count, parameters.values, parameters.lengths, parameters.formats,
                statement.hasBinaryResults ? 1 : 0) == 1
        else {
            lose()
            return
        }
        if isAlone { sync() }
    }

    /// Ends the transaction of the statements that were sent since the last Sync, if there are any.
    func sync() {
        guard !isLost, unsynced > 0 else { return }
        unsynced = 0
        awaited.append(.sync)
        guard PQpipelineSync(handle) == 1 else {
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
    /// with a null after it, and at the end of a transaction the Sync's.
    private func takeAnswers() {
        isTaking = true
        defer { isTaking = false }
        while !isLost, let front = awaited.first, PQisBusy(handle) == 0 {
            guard let answer = PQgetResult(handle) else {
                emptyResults += 1
                // Two in a row: libpq expects no more answers although we do, so the connection is broken.
                if emptyResults > 1 { lose() }
                continue
            }
            emptyResults = 0
            switch front {
            case .statement(let statement, let preliminaries): take(answer, for: statement, preliminaries)
            case .sync: takeEnd(answer)
            }
        }
    }

    private func take(_ answer: OpaquePointer, for statement: PostgresStatement, _ preliminaries: Int) {
        let isOwn = resultsSeen == preliminaries
        resultsSeen += 1
        switch PQresultStatus(answer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            if isOwn { result = PostgresResult(owning: answer) } else { PQclear(answer) }
        case PGRES_PIPELINE_ABORTED:
            PQclear(answer)
        default:
            fail(statement, PostgresError(failed: answer), isOwn: isOwn)
            PQclear(answer)
        }
        if isOwn { finish() }
    }

    private func fail(_ statement: PostgresStatement, _ failure: PostgresError, isOwn: Bool) {
        error = failure
        if !isOwn {
            note(.unknown, of: statement)
        } else if failure.sqlState == .featureNotSupported {
            note(.stale, of: statement)
        } else if failure.sqlState == .invalidStatementName {
            // The request in front was to prepare the statement and failed. This one has not run.
            note(.unknown, of: statement)
            error = .unavailable(reason: "the statement could not be prepared")
        }
    }

    /// Takes note of what an answer tells of a statement, unless a request already under way prepares it anew.
    private func note(_ preparation: Preparation, of statement: PostgresStatement) {
        let isUnderWay = (1..<max(1, awaited.count)).contains {
            guard case .statement(let other, let preliminaries) = awaited[$0] else { return false }
            return preliminaries > 0 && other === statement
        }
        if !isUnderWay { preparations[statement.number] = preparation }
    }

    /// The front statement has all its results.
    private func finish() {
        _ = awaited.popFirst()
        resultsSeen = 0
        let answer: PostgresAnswer =
            if let error { .given(.failure(error)) } else if let result { .given(.success(result)) } else { .notRun }
        answers.append(answer)
        error = nil
        result = nil
    }

    /// Takes what comes where a Sync's answer is awaited: that answer, or before it the error of the commit (a deferred
    /// constraint), by which what seemed done is undone.
    private func takeEnd(_ answer: OpaquePointer) {
        defer { PQclear(answer) }
        guard PQresultStatus(answer) == PGRES_PIPELINE_SYNC else {
            let failure = PostgresError(failed: answer)
            for place in answers.indices {
                if case .given(.success) = answers[place] { answers[place] = .given(.failure(failure)) }
            }
            return
        }
        _ = awaited.popFirst()
        let given = answers
        answers.removeAll(keepingCapacity: true)
        // What is sent meanwhile may show that the connection is lost: whoever is not answered yet hears that.
        for answer in given where !isLost { onAnswer(answer) }
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
