internal import Glibc

/// The wall clock of a process. It belongs to the loop: ``EventLoop/clock``.
public struct WallClock: Sendable {
    /// The microseconds by which the clock is ahead of the machine's; nil for the machine's clock.
    private let offset: Int64?

    /// The machine's clock.
    public static let machine = WallClock(offset: nil)

    /// A clock that is `offset` microseconds ahead of the machine's. Two processes with the same offset agree on the time.
    public static func ahead(by offset: Int64) -> WallClock {
        WallClock(offset: offset)
    }

    /// A clock that shows `instant` (microseconds since 1970) now and runs on from there.
    public static func starting(at instant: Int64) -> WallClock {
        WallClock(offset: instant - machine.now)
    }

    private init(offset: Int64?) {
        self.offset = offset
    }

    /// Whether the clock differs from the machine's. Heartbeats and outages then mean nothing.
    public var isSet: Bool { offset != nil }

    /// The time in microseconds since 1970.
    public var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000 + (offset ?? 0)
    }
}
