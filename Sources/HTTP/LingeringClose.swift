internal import EventLoop
internal import Glibc

/// A connection that is over for the server while its client may still be sending. Input is discarded until the client
/// has read the response and closes. If the server closed first, the kernel would answer further input with a reset,
/// and the client would lose the response that it has not read yet (RFC 9112 §9.6).
final class LingeringClose {
    /// How long the client has.
    private static let timeout = Duration.seconds(10)
    /// The most bytes that the client may still send.
    private static let most = 64 << 20

    let descriptor: Int32
    private let ended: (LingeringClose) -> Void
    private var watch: Watch?
    private var timer: LoopTimer?
    private var received = 0

    /// Takes ownership of `descriptor`, on which nothing more is sent. `ended` is called once.
    init(loop: EventLoop, owning descriptor: Int32, ended: @escaping (LingeringClose) -> Void) {
        self.descriptor = descriptor
        self.ended = ended
        shutdown(descriptor, Int32(SHUT_WR))
        watch = loop.watch(descriptor, for: .readable) { [unowned self] _ in discard() }
        timer = loop.schedule(after: Self.timeout) { [unowned self] in end() }
    }

    /// Closes the connection.
    func end() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        timer?.cancel()
        close(descriptor)
        ended(self)
    }

    private func discard() {
        // With MSG_TRUNC the bytes are not even copied (tcp(7)).
        let count = recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT))
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        received += max(count, 0)
        if count <= 0 || received > Self.most { end() }
    }
}

/// The lingering connections of a server.
final class LingeringCloses {
    /// The most connections that may linger at once. Further ones are closed immediately.
    private static let most = 200

    private var closes: [Int32: LingeringClose] = [:]

    /// Closes `descriptor` after its client has read what was sent.
    func add(_ descriptor: Int32, on loop: EventLoop) {
        guard closes.count < Self.most else {
            close(descriptor)
            return
        }
        closes[descriptor] = LingeringClose(loop: loop, owning: descriptor) { [unowned self] in
            closes[$0.descriptor] = nil
        }
    }

    /// Closes all lingering connections.
    func endAll() {
        for close in Array(closes.values) { close.end() }
    }
}
