internal import CLinux
internal import EventLoop
internal import Glibc
internal import NetworkAddresses

/// The listening socket of a server.
///
/// Confined to the loop's thread.
final class Listener {
    /// The most clients that are accepted at once, before other work on the loop gets its turn.
    private static let batch = 64
    /// The most bytes of a response that the kernel holds before sending them. Without this bound the kernel takes
    /// megabytes of a download, and they reach the client even after its access has ended. Bytes in flight come on top.
    /// They are bounded by what the client takes, so a fast client stays as fast (tcp(7), TCP_NOTSENT_LOWAT).
    private static let unsent: Int32 = 128 << 10

    private let descriptor: Int32
    private var watch: Watch?

    /// Listens on `descriptor`, and calls `accept` when clients are waiting. Accepted sockets inherit its options.
    init(_ descriptor: Int32, loop: EventLoop, accept: @escaping () -> Void) {
        self.descriptor = descriptor
        // A response is sent in one call, and the pieces of a streamed one must not wait for an acknowledgement.
        set(TCP_NODELAY, 1)
        set(TCP_NOTSENT_LOWAT, Self.unsent)
        watch = loop.watch(descriptor, for: .readable) { _ in accept() }
    }

    /// Calls `take` with the socket and the address of each waiting client, up to ``batch`` of them and while there is
    /// `room`.
    func accept(while room: () -> Bool, _ take: (Int32, _ address: String) -> Void) {
        for _ in 0..<Self.batch where room() {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutableBytes(of: &address) { bytes in
                kith_accept(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            }
            guard accepted >= 0 else {
                // Without free descriptors the socket would stay ready, so pause until the next sweep.
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { pause() }
                return
            }
            let client = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { NetworkAddress($0) }
            }
            // The socket listens on an IP address, so its clients have one.
            take(accepted, client?.description ?? "")
        }
    }

    /// Stops accepting until ``resume()``. Clients wait in the kernel's queue.
    func pause() {
        watch?.update([])
    }

    func resume() {
        watch?.update(.readable)
    }

    /// Whether clients are waiting in the kernel's queue.
    var hasWaiting: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    /// Stops listening and closes the socket.
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
