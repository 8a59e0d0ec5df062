/// Whether what readers get is all that has happened. A reader to whom nothing is sent, and who hears signs of life,
/// takes what it shows for the present. It is a pure value: the reading happens elsewhere.
struct FeedPulse {
    /// How long the end of the feed may stay where it is. The servers' heartbeats move it every five seconds, unless an
    /// old transaction that has written holds it back.
    private static let patience = Duration.seconds(30)

    /// Whether the last read failed.
    private(set) var isFailing = false
    private var horizon: UInt64?
    private var movedAt: ContinuousClock.Instant?

    /// Notes a read that has found the end of the feed at `horizon`.
    mutating func note(horizon: UInt64, at now: ContinuousClock.Instant) {
        isFailing = false
        guard horizon != self.horizon else { return }
        self.horizon = horizon
        movedAt = now
    }

    mutating func noteFailure() { isFailing = true }

    /// For how long the end of the feed has stayed where it is.
    func lag(at now: ContinuousClock.Instant) -> Duration { movedAt.map { now - $0 } ?? .zero }

    /// Whether readers may hear signs of life. `beats` says whether servers send heartbeats.
    func isAlive(at now: ContinuousClock.Instant, beats: Bool) -> Bool {
        !isFailing && (!beats || lag(at: now) < Self.patience)
    }
}
