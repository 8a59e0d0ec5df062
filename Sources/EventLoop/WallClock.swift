internal import Glibc
internal import Synchronization

/// The wall clock of a process. It belongs to the loop: ``EventLoop/clock``.
public struct WallClock: Sendable {
    private enum Source {
        /// The machine's, as ``correct(by:)`` says.
        case machine
        /// The microseconds by which the clock is ahead of the machine's.
        case ahead(Int64)
        case stopped(Instant)
    }

    /// The instant that a stopped clock shows, in microseconds since 1970.
    private final class Instant: Sendable {
        let now: Atomic<Int64>

        init(_ now: Int64) {
            self.now = Atomic(now)
        }
    }

    private let source: Source

    /// The machine's clock, corrected by ``correct(by:)``.
    public static let machine = WallClock(source: .machine)

    /// The microseconds that are added to the machine's clock.
    private static let added = Atomic<Int64>(0)

    /// The microseconds that are added to the machine's clock; 0 unless ``correct(by:)`` has been called.
    public static var correction: Int64 { added.load(ordering: .relaxed) }

    /// Adds this many microseconds to the machine's clock, in the whole process, because another clock counts: that of
    /// the database (decision 33).
    public static func correct(by microseconds: Int64) {
        added.store(microseconds, ordering: .relaxed)
    }

    /// What the machine's clock shows, without a correction, in microseconds since 1970.
    public static var uncorrected: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// A clock that is `offset` microseconds ahead of the machine's. Two processes with the same offset agree on the
    /// time.
    public static func ahead(by offset: Int64) -> WallClock {
        WallClock(source: .ahead(offset))
    }

    /// A clock that shows `instant` (microseconds since 1970) now and runs on from there.
    public static func starting(at instant: Int64) -> WallClock {
        WallClock(source: .ahead(instant - machine.now))
    }

    /// A clock that shows `instant` (microseconds since 1970) until ``advance(by:)`` moves it. What a process does by
    /// such a clock does not depend on the machine's speed.
    public static func stopped(at instant: Int64) -> WallClock {
        WallClock(source: .stopped(Instant(instant)))
    }

    private init(source: Source) {
        self.source = source
    }

    /// Whether the clock differs from the machine's. Heartbeats and outages then mean nothing.
    public var isSet: Bool {
        if case .machine = source { false } else { true }
    }

    /// The time in microseconds since 1970.
    public var now: Int64 {
        switch source {
        case .machine: Self.uncorrected + Self.correction
        case .ahead(let offset): Self.uncorrected + offset
        case .stopped(let instant): instant.now.load(ordering: .relaxed)
        }
    }

    /// Moves a stopped clock forward by this many microseconds. Other clocks move by themselves.
    public func advance(by microseconds: Int64) {
        if case .stopped(let instant) = source { instant.now.add(microseconds, ordering: .relaxed) }
    }
}
