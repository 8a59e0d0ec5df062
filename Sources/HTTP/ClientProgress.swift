internal import Glibc

/// How much of a response its client has taken.
///
/// The server cannot tell from the socket's readiness: the kernel may hold much of a response. On a slow line, the
/// socket becomes writable long after the client began to read. And the kernel holds the last bytes long before the
/// client gets them.
struct ClientProgress {
    let descriptor: Int32
    private var onTheWay = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The number of bytes in the kernel that the client has not acknowledged.
    private var unacknowledged: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Records how many bytes are on their way to the client.
    mutating func noteSending() {
        onTheWay = unacknowledged
    }

    /// Records that the kernel has taken a whole response. Measuring what is on its way would be a system call for each
    /// request, and so the first call of ``hasTakenSomething()`` measures it.
    mutating func noteAnswered() {
        onTheWay = .max
    }

    /// Whether the client has taken anything since ``noteSending()`` or the last call of this function.
    mutating func hasTakenSomething() -> Bool {
        let before = onTheWay
        onTheWay = unacknowledged
        return onTheWay < before
    }

    /// Whether something is on its way still.
    var hasRest: Bool { onTheWay > 0 }
}
