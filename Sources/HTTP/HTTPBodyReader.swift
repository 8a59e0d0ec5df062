internal import EventLoop

/// Lets a handler read a request body piece by piece, while the client sends it.
///
/// If the client waits for 100 Continue (RFC 9110 §10.1.1), the first ``next()`` asks it for the body. A handler that
/// refuses the request before that spares the client the sending.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, which ``next()`` checks. The server calls
/// everything else there.
public final class HTTPBodyReader: @unchecked Sendable {
    /// The state of the body.
    private enum State {
        case open
        case ended
        case failed(HTTPBodyError)
    }

    /// The number of pending bytes from which the client must wait for the handler. A handler takes all pending bytes
    /// at once, so up to one read (64 KiB) more may be pending.
    static let room = 128 << 10

    private let loop: EventLoop
    /// Tells the server that the handler wants more.
    private let wanted: () -> Void
    private var state = State.open
    private var pending: [UInt8] = []
    private var reading: UnsafeContinuation<Void, Never>?

    init(loop: EventLoop, wanted: @escaping () -> Void) {
        self.loop = loop
        self.wanted = wanted
    }

    /// Returns the next bytes of the body as soon as there are any; nil at its end. Unread bytes stay with the client:
    /// a body that is read slowly is sent slowly, and needs no memory.
    ///
    /// Only one read may be in progress.
    ///
    /// - Throws: ``HTTPBodyError`` when the rest will not arrive. Then the bytes before it must not be taken for the
    ///   body.
    public func next() async throws(HTTPBodyError) -> [UInt8]? {
        loop.preconditionCurrent()
        precondition(reading == nil, "a body is read one piece at a time")
        if pending.isEmpty, case .open = state {
            wanted()
            // Asking the client to send may find that it is gone.
            if pending.isEmpty, case .open = state { await withUnsafeContinuation { reading = $0 } }
        }
        if case .failed(let error) = state { throw error }
        guard !pending.isEmpty else { return nil }
        let piece = pending
        pending = []
        if case .open = state { wanted() }
        return piece
    }

    // MARK: - For the server

    /// Whether the client must wait.
    var isFull: Bool { pending.count >= Self.room }

    func append(_ piece: UnsafeRawBufferPointer) {
        pending.append(contentsOf: piece)
        wakeHandler()
    }

    /// Records that the body is complete.
    func end() {
        guard case .open = state else { return }
        state = .ended
        wakeHandler()
    }

    /// Records that the rest will not arrive, or that nobody may read it.
    func fail(_ error: HTTPBodyError) {
        guard case .open = state else { return }
        state = .failed(error)
        pending = []
        wakeHandler()
    }

    private func wakeHandler() {
        reading?.resume()
        reading = nil
    }
}
