internal import Glibc

/// The time by which the worker works.
public struct WorkerClock: Sendable {
    /// Microseconds by which it differs from the wall's; nil when it is the wall's clock.
    private let offset: Int64?

    /// The wall's clock.
    public static let wall = WorkerClock(offset: nil)

    /// A clock that shows `instant` (microseconds since 1970) now and goes on from there, for trying out what another day brings.
    public static func starting(at instant: Int64) -> WorkerClock {
        WorkerClock(offset: instant - wallTime)
    }

    private init(offset: Int64?) {
        self.offset = offset
    }

    /// Whether it is the wall's: only then do heartbeats and outages mean anything.
    public var isWall: Bool { offset == nil }

    /// Microseconds since 1970.
    public var now: Int64 { Self.wallTime + (offset ?? 0) }

    private static var wallTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
