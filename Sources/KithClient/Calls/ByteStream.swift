import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response to a request, whose body is read in pieces as it arrives. `URLSession.bytes` would do, but Foundation
/// on Linux lacks it.
///
/// While ``room`` bytes wait to be read, the socket is not read, so that a slow reader takes no more memory than that.
/// On Linux, that holds up every `URLSession` of the process, since all read their sockets on one queue. So the
/// connection ends there when its reader is too slow: after what has arrived, the reader gets an ``Overrun``, and asks
/// for the rest.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ByteStream: EventSource, ResponseReceiver, @unchecked Sendable {
    /// The connection has ended because its reader was too slow.
    struct Overrun: Error {}

    /// The most bytes that wait to be read, but for one piece; twice what the reader waits for, if that is more.
    static let room = 256 << 10
    #if canImport(FoundationNetworking)
        /// The seconds for which the other requests of the process wait for a slow reader.
        private static let longestWait = 0.5
    #endif

    private let lock = NSCondition()
    private let session: HTTPSession
    private let task: URLSessionTask
    private let onSent: (@Sendable (_ sent: Int64) -> Void)?
    private let head = Promise<HTTPURLResponse>()
    private var body = Data()
    private var reader: CheckedContinuation<Data?, any Error>?
    /// The bytes for which the reader waits.
    private var least = 1
    /// The end of the body: nil for a complete one.
    private var end: (any Error)??
    private var isCancelled = false

    init(session: HTTPSession, task: URLSessionTask, onSent: (@Sendable (Int64) -> Void)? = nil) {
        self.session = session
        self.task = task
        self.onSent = onSent
    }

    deinit { cancel() }

    /// The head of the response, once it has arrived.
    func response() async throws -> HTTPURLResponse {
        do {
            return try await head.value()
        } catch {
            cancel()
            throw error
        }
    }

    /// The bytes that have arrived; waits for some if there are none. Nil at the end of the body.
    ///
    /// - Throws: What ended the connection, ``Overrun``, or `CancellationError`. A cancelled call loses no bytes.
    func next() async throws -> Data? { try await next(atLeast: 1) }

    /// As ``next()``, but waits for `count` bytes, or for the end of the body. A piece is 16 KiB at most, and to wake
    /// the reader for each took longer than to write it to a file.
    func next(atLeast count: Int) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = lock.withLock { () -> Result<Data?, any Error>? in
                    least = min(max(count, 1), Self.room)
                    if body.count >= least || end != nil && !body.isEmpty { return .success(take()) }
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
        let (reading, goesOn) = lock.withLock {
            defer { reader = nil }
            isCancelled = true
            body = Data()
            lock.broadcast()
            return (reader, end == nil)
        }
        reading?.resume(throwing: CancellationError())
        if goesOn { session.cancel(task) }
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

    // MARK: - What the session reports

    func arrived(_ response: HTTPURLResponse) { head.resolve(.success(response)) }

    /// Bytes have arrived. On Linux, waits until there is room for more, or ends the connection.
    func arrived(_ bytes: Data) {
        let piece = lock.withLock { () -> (reader: CheckedContinuation<Data?, any Error>, bytes: Data)? in
            guard !isCancelled, end == nil else { return nil }
            // Reserve all that the reader waits for at once, so that the buffer does not grow again and again.
            if body.isEmpty, least > bytes.count { body.reserveCapacity(least + bytes.count) }
            body.append(bytes)
            guard let reader else {
                awaitRoom()
                return nil
            }
            guard body.count >= least else { return nil }
            self.reader = nil
            return (reader, take())
        }
        // Outside the lock: a cancellation of the reader holds its task while the handler waits for the lock.
        piece?.reader.resume(returning: piece?.bytes)
    }

    /// Waits, under the lock, until there is room for more bytes.
    private func awaitRoom() {
        #if canImport(FoundationNetworking)
            // NSCondition knows no other clock than the wall's. One that is set back meanwhile prolongs this wait only.
            let deadline = Date() + Self.longestWait
            while body.count >= max(Self.room, 2 * least), !isCancelled {
                guard !lock.wait(until: deadline) else { continue }
                end = .some(Overrun())
                return session.cancel(task)
            }
        #else
            if body.count >= max(Self.room, 2 * least) { task.suspend() }
        #endif
    }

    func sent(_ count: Int64) { onSent?(count) }

    func ended(_ error: (any Error)?) {
        let (reading, rest) = lock.withLock {
            defer { reader = nil }
            if end == nil { end = .some(error) }
            return (reader, reader != nil && !body.isEmpty ? take() : nil)
        }
        head.resolve(.failure(error ?? URLError(.badServerResponse)))
        guard let reading else { return }
        if let rest { return reading.resume(returning: rest) }
        if let error { reading.resume(throwing: error) } else { reading.resume(returning: nil) }
    }
}
