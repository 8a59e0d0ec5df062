internal import CLinux

/// What a descriptor is watched for, and what it turned out to be ready for.
public struct Interest: OptionSet, Sendable {
    /// The bits, ours and not the kernel's.
    public let rawValue: UInt8

    /// A set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the other side is gone.
    public static let readable = Interest(rawValue: 1)
    /// There is room to write, or the other side is gone.
    public static let writable = Interest(rawValue: 2)

    /// What epoll reported. A hang-up or error makes both directions ready: the next read or write tells which it is.
    init(events: UInt32) {
        var ready: Interest = []
        if events & (kith_epollin | kith_epollrdhup) != 0 { ready.insert(.readable) }
        if events & kith_epollout != 0 { ready.insert(.writable) }
        if events & (kith_epollerr | kith_epollhup) != 0 { ready.formUnion([.readable, .writable]) }
        self = ready
    }

    /// The kernel's bits for this interest.
    var events: UInt32 {
        (contains(.readable) ? kith_epollin : 0) | (contains(.writable) ? kith_epollout : 0)
    }
}
