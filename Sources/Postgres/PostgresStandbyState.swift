internal import EventLoop

/// Whether reads may try the standby, without any I/O.
///
/// After a failure the standby rests, so that reads do not lose time on it one after the other. After the rest, one
/// read tries it, and the others follow once that one was answered.
struct PostgresStandbyState {
    private enum Rotation {
        case inside
        case resting(until: ContinuousClock.Instant)
        case tried
    }

    private var rotation = Rotation.inside
    private var rest = Backoff(from: .milliseconds(200), to: .seconds(5))

    var isInRotation: Bool { if case .inside = rotation { true } else { false } }

    /// Whether a read may try the standby now. ``succeeded()`` or ``failed(now:jitter:)`` must follow if so.
    mutating func mayTry(now: ContinuousClock.Instant) -> Bool {
        switch rotation {
        case .inside: return true
        case .resting(let end):
            guard end <= now else { return false }
            rotation = .tried
            return true
        case .tried: return false
        }
    }

    /// Records that the standby answered a read.
    mutating func succeeded() {
        rotation = .inside
        rest.succeed()
    }

    /// Records that the standby was behind, or did not answer.
    mutating func failed(now: ContinuousClock.Instant, jitter: Double) {
        // Reads that were under way together fail together, and count once.
        if case .resting = rotation { return }
        rotation = .resting(until: now + rest.fail(jitter: jitter))
    }
}
