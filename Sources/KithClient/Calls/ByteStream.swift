import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response to a request, whose body is read in pieces as it arrives.
///
/// While ``room`` bytes wait to be read, the socket is not read, so that a slow reader takes no more memory than that. `URLSession.bytes`
/// would do, but Foundation on Linux lacks it.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ByteStream: EventSource, @unchecked Sendable {
    /// The most bytes that wait to be read, but for one piece.
    static let room = 256 << 10

    private enum Head {
        case awaited
        case waiting(CheckedContinuation<HTTPURLResponse, any Error>)
        case arrived
    }

    private let lock = NSCondition()
    private let task: URLSessionTask
    private let onSent: (@Sendable (_ sent: Int64) -> Void)?
    private var head = Head.awaited
    private var responseOrError: Result<HTTPURLResponse, any Error>?
    private var body = Data()
    private var reader: CheckedContinuation<Data?, any Error>?
    /// The end of the body: nil for a complete one.
    private var end: (any Error)??
    private var isCancelled = false

    init(task: URLSessionTask, onSent: (@Sendable (Int64) -> Void)? = nil) {
        self.task = task
        self.onSent = onSent
    }

    deinit { cancel() }

    /// The head of the response, once it has arrived.
    func response() async throws -> HTTPURLResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = lock.withLock { () -> Result<HTTPURLResponse, any Error>? in
                    if isCancelled { return .failure(CancellationError()) }
                    if let responseOrError { return responseOrError }
                    head = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The bytes that have arrived; waits for some if there are none. Nil at the end of the body.
    ///
    /// - Throws: What ended the connection, or `CancellationError`. A cancelled call loses no bytes.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = lock.withLock { () -> Result<Data?, any Error>? in
                    if !body.isEmpty { return .success(take()) }
                    if isCancelled || Task.isCancelled { return .failure(CancellationError()) }
                    if let end { return end.map { .failure($0) } ?? .success(nil) }
                    reader = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            let waiting = lock.withLock { () -> CheckedContinuation<Data?, any Error>? in
                defer { reader = nil }
                return reader
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// Ends the connection.
    func cancel() {
        let (waiting, reading, ends) = lock.withLock {
            isCancelled = true
            lock.broadcast()
            var waiting: CheckedContinuation<HTTPURLResponse, any Error>?
            var ends = false
            switch head {
            case .waiting(let continuation): waiting = continuation
            case .arrived: ends = end == nil
            case .awaited: break
            }
            if case .arrived = head {} else { head = .awaited }
            defer { reader = nil }
            body = Data()
            return (waiting, reader, ends)
        }
        waiting?.resume(throwing: CancellationError())
        reading?.resume(throwing: CancellationError())
        // Foundation on Linux crashes when it is told to cancel a task whose connection is refused at that moment. Before its response has
        // arrived, the task is therefore left alone: it is cancelled when the response arrives.
        if ends { task.cancel() }
    }

    private func take() -> Data {
        defer {
            body = Data()
            lock.broadcast()
            #if !canImport(FoundationNetworking)
                if end == nil { task.resume() }
            #endif
        }
        return body
    }

    // MARK: - What the session's delegate reports

    /// The head has arrived.
    ///
    /// - Returns: Whether the body is still wanted.
    func arrived(_ response: HTTPURLResponse) -> Bool {
        let (waiting, isWanted) = lock.withLock {
            var waiting: CheckedContinuation<HTTPURLResponse, any Error>?
            if case .waiting(let continuation) = head { waiting = continuation }
            head = .arrived
            responseOrError = .success(response)
            return (waiting, !isCancelled)
        }
        waiting?.resume(returning: response)
        return isWanted
    }

    /// Bytes have arrived. On Linux, waits until there is room for more.
    func arrived(_ bytes: Data) {
        lock.lock()
        defer { lock.unlock() }
        guard !isCancelled else { return }
        if let reader {
            self.reader = nil
            reader.resume(returning: bytes)
            return
        }
        body.append(bytes)
        #if canImport(FoundationNetworking)
            while body.count >= Self.room, !isCancelled { lock.wait() }
        #else
            if body.count >= Self.room { task.suspend() }
        #endif
    }

    /// The body is complete, or the connection has ended.
    func ended(_ error: (any Error)?) {
        let (waiting, reading) = lock.withLock {
            end = .some(error)
            var waiting: CheckedContinuation<HTTPURLResponse, any Error>?
            if case .waiting(let continuation) = head { waiting = continuation }
            head = .arrived
            if responseOrError == nil { responseOrError = .failure(error ?? URLError(.badServerResponse)) }
            defer { reader = nil }
            return (waiting, reader)
        }
        waiting?.resume(throwing: error ?? URLError(.badServerResponse))
        guard let reading else { return }
        if let error { reading.resume(throwing: error) } else { reading.resume(returning: nil) }
    }

    func sent(_ count: Int64) {
        onSent?(count)
    }
}
