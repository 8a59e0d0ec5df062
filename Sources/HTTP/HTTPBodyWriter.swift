internal import EventLoop

/// Where the producer of a streamed body writes, piece by piece, while the client reads.
///
/// `@unchecked Sendable`: touched on the loop's thread only, which ``write(_:)`` checks; the rest is called by the server there.
public final class HTTPBodyWriter: @unchecked Sendable {
    /// How far the body has come.
    private enum State {
        /// More may be written.
        case open
        /// The producer has written everything.
        case finished
        /// There will be no rest.
        case failed
    }

    /// What the server has for the client now.
    enum Supply {
        case bytes(count: Int)
        /// Nothing yet: the producer works on it.
        case nothing
        case end
        case failure
    }

    /// How many bytes may lie here while the producer goes on: enough to make the next piece during the sending of the last.
    static let room = 16 << 10

    private let loop: EventLoop
    private let produce: @Sendable (HTTPBodyWriter) async throws -> Void
    /// Tells the server that there is something to be taken after it was given nothing.
    private let supplied: () -> Void
    private var state = State.open
    private var pending: [UInt8] = []
    /// How much of `pending` is taken.
    private var taken = 0
    private var task: Task<Void, Never>?
    private var waiting: UnsafeContinuation<Void, Never>?
    /// Whether the server was given nothing and waits for ``supplied``.
    private(set) var isAwaited = false

    init(
        loop: EventLoop, produce: @escaping @Sendable (HTTPBodyWriter) async throws -> Void,
        supplied: @escaping () -> Void
    ) {
        self.loop = loop
        self.produce = produce
        self.supplied = supplied
    }

    /// Hands over the next bytes of the body, and waits until the client has taken so many of them that there is room for more. So a
    /// body needs no more memory than its largest piece, however slowly it is read.
    ///
    /// One write at a time.
    ///
    /// - Throws: `CancellationError` when nobody reads any longer.
    public func write(_ bytes: [UInt8]) async throws(CancellationError) {
        loop.preconditionCurrent()
        precondition(waiting == nil, "a body is written one piece at a time")
        guard state == .open else { throw CancellationError() }
        if taken == pending.count {
            pending = bytes
        } else {
            pending.removeFirst(taken)
            pending += bytes
        }
        taken = 0
        wakeServer()
        if pending.count > Self.room {
            await withUnsafeContinuation { waiting = $0 }
            guard state == .open else { throw CancellationError() }
        }
    }

    // MARK: - For the server

    /// Fills `buffer` with what there is, and starts the producer the first time. Where there is nothing and the server cannot wait for
    /// it, that is a failure.
    func take(into buffer: UnsafeMutableRawBufferPointer, canWait: Bool) -> Supply {
        if task == nil, state == .open {
            task = loop.spawn { [self, produce] in
                do {
                    try await produce(self)
                    end(.finished)
                } catch {
                    end(.failed)
                }
            }
        }
        guard state != .failed else { return .failure }
        let count = min(buffer.count, pending.count - taken)
        guard count > 0 else {
            guard state == .open else { return .end }
            isAwaited = canWait
            return canWait ? .nothing : .failure
        }
        pending.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[taken..<taken + count])) }
        taken += count
        if pending.count - taken <= Self.room { wakeProducer() }
        return .bytes(count: count)
    }

    /// Nobody reads any longer, or nobody is to: the producer is cancelled, and the connection is to be broken off.
    func abandon() {
        task?.cancel()
        end(.failed)
        pending = []
        taken = 0
        wakeProducer()
    }

    private func end(_ end: State) {
        guard state == .open || end == .failed else { return }
        state = end
        wakeServer()
    }

    private func wakeServer() {
        guard isAwaited else { return }
        isAwaited = false
        supplied()
    }

    private func wakeProducer() {
        waiting?.resume()
        waiting = nil
    }
}
