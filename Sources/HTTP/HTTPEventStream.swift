internal import EventLoop
internal import Glibc

/// The way to a client that reads an answer without an end: what is sent goes out at once, for as long as the client reads.
///
/// It has taken the client's socket over from the server, with nothing of what a connection keeps about requests. So ten thousand of them cost
/// little memory, and no request anything.
///
/// `@unchecked Sendable`: touched on the loop's thread only, which its public functions check; the loop calls it there too.
public final class HTTPEventStream: @unchecked Sendable {
    /// How many bytes may wait here for a client that reads too slowly, beside those that the kernel has taken. Who falls further behind
    /// is cut off.
    public static let room = 64 << 10
    /// How many bytes the kernel may keep of ours for the client; it takes twice that, for what it notes about them (socket(7)).
    static let kernelRoom: Int32 = 64 << 10
    /// How many bytes a client may send, although nothing is expected of it.
    private static let mostInput = 64 << 10
    /// How long the kernel waits for a client that acknowledges nothing, in milliseconds (tcp(7)): one whose network is gone.
    private static let timeout: Int32 = 60_000

    /// Called once, when the stream is over, whoever ended it.
    public var onEnd: (() -> Void)?
    /// Called whenever the kernel has taken everything, after a ``send(_:)`` of which it had not.
    public var onDrain: (() -> Void)?

    private let loop: EventLoop
    let descriptor: Int32
    private var watch: Watch?
    private var pending: [UInt8] = []
    /// How much of `pending` the kernel has taken.
    private var taken = 0
    /// How many bytes the client has sent.
    private var received = 0
    private let ended: (HTTPEventStream) -> Void

    /// Owns `descriptor`, and calls `ended` when it has closed it.
    init(loop: EventLoop, owning descriptor: Int32, ended: @escaping (HTTPEventStream) -> Void) {
        self.loop = loop
        self.descriptor = descriptor
        self.ended = ended
        // An event waits for no other, and not for a delayed acknowledgement.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Self.timeout)
        set(SOL_SOCKET, SO_SNDBUF, Self.kernelRoom)
        watch = loop.watch(descriptor, for: .readable) { [unowned self] in goOn($0) }
    }

    /// Whether it is still there.
    public var isOpen: Bool { watch != nil }

    /// How many bytes wait here until the client takes some.
    public var backlog: Int { pending.count - taken }

    /// Sends `bytes` after what was sent before, all of them or, when there is no room for them, none and nothing ever again: the stream
    /// then ends. Never waits.
    ///
    /// - Returns: whether the stream goes on.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        loop.preconditionCurrent()
        guard let watch else { return false }
        var sent = 0
        if backlog == 0 {
            guard let count = write(bytes[...]) else { return false }
            sent = count
        }
        guard sent < bytes.count else { return true }
        guard backlog + bytes.count - sent <= Self.room else {
            end()
            return false
        }
        if taken > 0 {
            pending.removeFirst(taken)
            taken = 0
        }
        pending += bytes[sent...]
        watch.update([.readable, .writable])
        return true
    }

    /// Ends the stream and closes the connection; what waits here is not sent. Further calls do nothing.
    public func end() {
        loop.preconditionCurrent()
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        close(descriptor)
        pending = []
        taken = 0
        let onEnd = onEnd
        (self.onEnd, onDrain) = (nil, nil)
        ended(self)
        onEnd?()
    }

    /// In one call, which keeps the stream: it may end in the middle, and nobody else may hold it then.
    private func goOn(_ ready: Interest) {
        if ready.contains(.readable) { discardInput() }
        if ready.contains(.writable) { flush() }
    }

    /// Gives the kernel what it takes at once; nil when the client is gone, and the stream with it.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR { return 0 }
        end()
        return nil
    }

    private func flush() {
        guard backlog > 0, let count = write(pending[taken...]) else { return }
        taken += count
        guard backlog == 0 else { return }
        // Its memory is given back: most clients never fall behind.
        pending = []
        taken = 0
        watch?.update(.readable)
        onDrain?()
    }

    /// Throws away what the client sends, and notes that it is gone. A further request on the connection gets no answer: this one's has
    /// no end.
    private func discardInput() {
        // With MSG_TRUNC the bytes are not even copied (tcp(7)).
        let count = recv(descriptor, nil, Self.mostInput, Int32(MSG_TRUNC | MSG_DONTWAIT))
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        received += max(count, 0)
        if count <= 0 || received > Self.mostInput { end() }
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
