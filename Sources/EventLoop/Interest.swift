internal import CLinux

/// The events that a descriptor is watched for, or is ready for.
public struct Interest: OptionSet, Sendable {
    /// The bits. They are not the kernel's.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Data can be read, or the other side is gone.
    public static let readable = Interest(rawValue: 1)
    /// Data can be written, or the other side is gone.
    public static let writable = Interest(rawValue: 2)

    /// Converts the events that epoll reported. A hang-up or an error makes both directions ready, and the next read or
    /// write tells which it is.
    init(events: UInt32) {
        var ready: Interest = []
        if events & (kith_epollin | kith_epollrdhup) != 0 { ready.insert(.readable) }
        if events & kith_epollout != 0 { ready.insert(.writable) }
        if events & (kith_epollerr | kith_epollhup) != 0 { ready.formUnion([.readable, .writable]) }
        self = ready
    }

    /// The epoll bits for this interest.
    var events: UInt32 {
        (contains(.readable) ? kith_epollin : 0) | (contains(.writable) ? kith_epollout : 0)
    }
}
