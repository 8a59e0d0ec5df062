internal import EventLoop
internal import Glibc

/// A stream to a client that reads a response without an end. Everything is sent immediately, for as long as the client
/// reads.
///
/// The stream takes over the client's socket from the server, without the connection's state for requests. Ten thousand
/// streams therefore cost little memory, and do not slow down requests.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, which its public functions check. The loop calls it
/// there too.
public final class HTTPEventStream: @unchecked Sendable {
    /// The most bytes that may wait here for a slow client, beside those that the kernel has taken. A client that falls
    /// further behind is cut off.
    public static let room = 64 << 10
    /// The size of the kernel's send buffer. The kernel doubles it to have room for its bookkeeping (socket(7)).
    static let kernelRoom: Int32 = 64 << 10
    /// The most bytes that a client may send, although none are expected.
    private static let mostInput = 64 << 10
    /// How long the kernel waits for a client that acknowledges nothing, in milliseconds (tcp(7)). It detects a client
    /// whose network is gone.
    private static let timeout: Int32 = 60_000

    /// Called once when the stream ends, whichever side ended it.
    public var onEnd: (() -> Void)?
    /// Called when the kernel has taken everything, after a ``send(_:)`` that it could not take completely.
    public var onDrain: (() -> Void)?

    private let loop: EventLoop
    let descriptor: Int32
    private var watch: Watch?
    private var pending: [UInt8] = []
    /// The number of bytes of `pending` that the kernel has taken.
    private var taken = 0
    /// The number of bytes that the client has sent.
    private var received = 0
    private let ended: (HTTPEventStream) -> Void

    /// Takes ownership of `descriptor`. Calls `ended` after closing it.
    init(loop: EventLoop, owning descriptor: Int32, ended: @escaping (HTTPEventStream) -> Void) {
        self.loop = loop
        self.descriptor = descriptor
        self.ended = ended
        // An event must wait neither for another one nor for a delayed acknowledgement.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Self.timeout)
        set(SOL_SOCKET, SO_SNDBUF, Self.kernelRoom)
        watch = loop.watch(descriptor, for: .readable) { [unowned self] in handle($0) }
    }

    /// Whether the stream is open.
    public var isOpen: Bool { watch != nil }

    /// The number of bytes that wait here for the client.
    public var backlog: Int { pending.count - taken }

    /// Sends `bytes` after everything sent before, without ever waiting. If there is no room for all of them, the
    /// stream sends none of them and ends.
    ///
    /// - Returns: Whether the stream goes on.
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

    /// Ends the stream and closes the connection. Bytes that wait here are not sent. Further calls do nothing.
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

    /// Handles readiness in one method call, which keeps the stream alive: it may end in the middle, when nobody else
    /// may hold it.
    private func handle(_ ready: Interest) {
        if ready.contains(.readable) { discardInput() }
        if ready.contains(.writable) { flush() }
    }

    /// Gives the kernel what it takes immediately. Returns nil when the client is gone, which ends the stream.
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
        // Release the memory, because most clients never fall behind.
        pending = []
        taken = 0
        watch?.update(.readable)
        onDrain?()
    }

    /// Discards what the client sends, and detects that it is gone. A further request on the connection gets no answer,
    /// because this answer has no end.
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
