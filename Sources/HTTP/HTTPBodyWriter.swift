internal import EventLoop

/// Lets the producer of a streamed body write piece by piece, while the client reads.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, which ``write(_:)`` checks. The server calls
/// everything else there.
public final class HTTPBodyWriter: @unchecked Sendable {
    /// The state of the body.
    private enum State {
        /// The producer may write more.
        case open
        /// The producer has written everything.
        case finished
        /// The rest will not come.
        case failed
    }

    /// The producer's supply: the bytes that the server can send now, none yet, or the end.
    enum Supply {
        case bytes(count: Int)
        /// Nothing yet. The producer is working.
        case nothing
        case end
        case failure
    }

    /// How many bytes may be pending while the producer continues: enough to make the next piece while the last one is
    /// sent.
    static let room = 16 << 10

    private let loop: EventLoop
    private let produce: @Sendable (HTTPBodyWriter) async throws -> Void
    /// Tells the server that bytes are available after it got ``Supply/nothing``.
    private let supplied: () -> Void
    private var state = State.open
    private var pending: [UInt8] = []
    /// The number of bytes of `pending` that the server has taken.
    private var taken = 0
    private var task: Task<Void, Never>?
    private var waiting: UnsafeContinuation<Void, Never>?
    /// Whether the server got ``Supply/nothing`` and waits for ``supplied``.
    private(set) var isAwaited = false

    init(
        loop: EventLoop, produce: @escaping @Sendable (HTTPBodyWriter) async throws -> Void,
        supplied: @escaping () -> Void
    ) {
        self.loop = loop
        self.produce = produce
        self.supplied = supplied
    }

    /// Passes on the next bytes of the body, and waits until the client has taken enough for there to be room for more.
    /// A body therefore needs no more memory than its largest piece, however slowly it is read.
    ///
    /// Only one write may be in progress.
    ///
    /// - Throws: `CancellationError` when nobody reads any more.
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

    /// Fills `buffer` with pending bytes, and starts the producer on the first call. If nothing is pending and the
    /// server cannot wait, the result is a failure.
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

    /// Cancels the producer, because nobody reads any more or nobody may. The connection must be closed.
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
