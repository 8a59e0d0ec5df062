internal import Glibc

/// The bytes to send on a connection that the kernel has not taken yet.
struct Outgoing {
    /// The result of an attempt to send.
    enum Progress {
        case done, blocked, gone
    }

    private var head: [UInt8]
    private var body: [UInt8]
    private var sent = 0

    /// Creates outgoing bytes: `head` followed by `body`. Both are sent in one call if the kernel takes them.
    init(_ head: [UInt8] = [], _ body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    var isEmpty: Bool { sent == head.count + body.count }

    /// Gives the kernel as much as it takes immediately.
    mutating func send(on descriptor: Int32) -> Progress {
        let progress = attempt(descriptor)
        if progress == .done { self = Outgoing() }
        return progress
    }

    private mutating func attempt(_ descriptor: Int32) -> Progress {
        while !isEmpty {
            let count = head.withUnsafeBytes { head in
                body.withUnsafeBytes { body in
                    Self.send([head.dropFirst(sent), body.dropFirst(max(0, sent - head.count))], on: descriptor)
                }
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return errno == EAGAIN ? .blocked : .gone }
            sent += count
        }
        return .done
    }

    private static func send(_ parts: [Slice<UnsafeRawBufferPointer>], on descriptor: Int32) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: parts.count) { vectors in
            for (index, part) in parts.enumerated() {
                let bytes = UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(rebasing: part))
                vectors.initializeElement(at: index, to: iovec(iov_base: bytes.baseAddress, iov_len: bytes.count))
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = vectors.count
            return sendmsg(descriptor, &message, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }
}
