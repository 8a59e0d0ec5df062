internal import EventLoop
internal import Glibc

/// A connection that is over for us while its client may still be sending: what comes is thrown away until the client has read the answer
/// and closes. Closed at once, the kernel would meet the rest with a reset, at which a client forgets the answer that it has not read
/// yet (RFC 9112, section 9.6).
final class LingeringClose {
    /// How long a client has.
    private static let timeout = Duration.seconds(10)
    /// How many bytes it may still send.
    private static let most = 64 << 20

    let descriptor: Int32
    private let ended: (LingeringClose) -> Void
    private var watch: Watch?
    private var timer: LoopTimer?
    private var received = 0

    /// Owns `descriptor`, on which nothing more is sent. `ended` is called once.
    init(loop: EventLoop, owning descriptor: Int32, ended: @escaping (LingeringClose) -> Void) {
        self.descriptor = descriptor
        self.ended = ended
        shutdown(descriptor, Int32(SHUT_WR))
        watch = loop.watch(descriptor, for: .readable) { [unowned self] _ in discard() }
        timer = loop.schedule(after: Self.timeout) { [unowned self] in end() }
    }

    /// Closes.
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

/// The connections of a server that only wait for their clients to read.
final class LingeringCloses {
    /// How many may wait at once; a further one is closed as it is.
    private static let most = 200

    private var closes: [Int32: LingeringClose] = [:]

    /// Closes `descriptor` when its client has read what was sent.
    func add(_ descriptor: Int32, on loop: EventLoop) {
        guard closes.count < Self.most else {
            close(descriptor)
            return
        }
        closes[descriptor] = LingeringClose(loop: loop, owning: descriptor) { [unowned self] in
            closes[$0.descriptor] = nil
        }
    }

    /// Closes all of them.
    func endAll() {
        for close in Array(closes.values) { close.end() }
    }
}
