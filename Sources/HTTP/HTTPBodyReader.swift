internal import EventLoop

/// Where a handler reads the body of a request, piece by piece, while the client sends it.
///
/// A client that waits for 100 Continue (RFC 9110, section 10.1.1) is asked for the body by the first ``next()``: a handler that refuses
/// before has it send nothing.
///
/// `@unchecked Sendable`: touched on the loop's thread only, which ``next()`` checks; the rest is called by the server there.
public final class HTTPBodyReader: @unchecked Sendable {
    /// How far the body has come.
    private enum State {
        case open
        case ended
        case failed(HTTPBodyError)
    }

    /// From how many bytes on the client has to wait for the handler. What was read in one go is handed out in one, so that 64 KiB more may
    /// come.
    static let room = 128 << 10

    private let loop: EventLoop
    /// Tells the server that more is wanted.
    private let wanted: () -> Void
    private var state = State.open
    private var pending: [UInt8] = []
    private var reading: UnsafeContinuation<Void, Never>?

    init(loop: EventLoop, wanted: @escaping () -> Void) {
        self.loop = loop
        self.wanted = wanted
    }

    /// The next bytes of the body, as soon as there are any; nil at its end. What is not taken waits: a body that is read slowly is sent
    /// slowly, and needs no memory.
    ///
    /// One read at a time.
    ///
    /// - Throws: ``HTTPBodyError`` when the rest will not come; what came before is no body then.
    public func next() async throws(HTTPBodyError) -> [UInt8]? {
        loop.preconditionCurrent()
        precondition(reading == nil, "a body is read one piece at a time")
        if pending.isEmpty, case .open = state {
            wanted()
            await withUnsafeContinuation { reading = $0 }
        }
        if case .failed(let error) = state { throw error }
        guard !pending.isEmpty else { return nil }
        let piece = pending
        pending = []
        if case .open = state { wanted() }
        return piece
    }

    // MARK: - For the server

    /// Whether the client is to wait.
    var isFull: Bool { pending.count >= Self.room }

    func append(_ piece: UnsafeRawBufferPointer) {
        pending.append(contentsOf: piece)
        wakeHandler()
    }

    /// The body is whole.
    func end() {
        guard case .open = state else { return }
        state = .ended
        wakeHandler()
    }

    /// There is no rest, or nobody is to read it any more.
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
