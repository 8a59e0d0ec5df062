internal import CLinux
internal import EventLoop
internal import Glibc

/// The socket on which a server is found.
///
/// Confined to the loop's thread.
final class Listener {
    /// How many clients are taken at once, before the others on the loop have their turn.
    private static let batch = 64
    /// How many bytes the kernel may have of an answer that it has not sent. Without it the kernel takes megabytes of a download, which go to
    /// the client also when its right to them has ended. What is on its way besides is bounded by what the client takes, so that a fast one
    /// is as fast as before (tcp(7), TCP_NOTSENT_LOWAT).
    private static let unsent: Int32 = 128 << 10

    private let descriptor: Int32
    private var watch: Watch?

    /// Listens on `descriptor`, and calls `accept` when there are clients. Accepted sockets inherit its options.
    init(_ descriptor: Int32, loop: EventLoop, accept: @escaping () -> Void) {
        self.descriptor = descriptor
        // An answer is sent in one call, and the pieces of a streamed one wait for no acknowledgement.
        set(TCP_NODELAY, 1)
        set(TCP_NOTSENT_LOWAT, Self.unsent)
        watch = loop.watch(descriptor, for: .readable) { _ in accept() }
    }

    /// Calls `take` with the socket and the address of each client that waits, up to a number, and while there is `room`.
    func accept(while room: () -> Bool, _ take: (Int32, _ address: String) -> Void) {
        for _ in 0..<Self.batch where room() {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutableBytes(of: &address) { bytes in
                kith_accept(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            }
            guard accepted >= 0 else {
                // Without descriptors the socket would stay ready: it is left alone until the next sweep.
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { pause() }
                return
            }
            take(accepted, RemoteAddress.text(address))
        }
    }

    /// Takes nobody until ``goOn()``: clients wait in the kernel's queue.
    func pause() {
        watch?.update([])
    }

    func goOn() {
        watch?.update(.readable)
    }

    /// Whether clients wait in the kernel's queue.
    var hasWaiting: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    /// Stops listening.
    func end() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        close(descriptor)
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
