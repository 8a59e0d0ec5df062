internal import EventLoop
internal import HTTP

/// One open stream of events, and how far its reader is.
///
/// `@unchecked Sendable`: touched on the loop's thread only, by the ``EventHub`` of that loop and through it.
final class EventSubscription: @unchecked Sendable {
    /// What its reader gets.
    enum Stage {
        /// What happens is kept until it is known what goes before it: the head of the answer, or what was missed.
        case collecting(EventBacklog)
        /// Nothing, until what was missed is asked for.
        case waiting
        /// Nothing, until the client has taken what it was sent; then it has missed something.
        case stalled(since: ContinuousClock.Instant)
        /// What happens, when it happens.
        case live
    }

    let caller: Caller
    let reader: EventReader
    let address: NetworkAddress?
    /// Where its turn is in what is done for some streams at a time.
    let number: Int
    /// Where it is in the hub's list; nil where it is not in there.
    var slot: Int?
    /// Nil until the head of the answer is sent.
    var stream: HTTPEventStream?
    var stage = Stage.collecting(EventBacklog())
    /// What the reader has.
    var position: EventPosition
    /// How many bytes may wait for a client who is live; whoever reads more slowly than that is asked for again what it misses, so that
    /// it costs no more memory.
    private static let room = 16 << 10

    init(caller: Caller, from address: NetworkAddress?, number: Int, position: EventPosition) {
        self.caller = caller
        self.address = address
        self.number = number
        self.position = position
        reader = EventReader(tenantID: caller.tenantID, user: caller.user)
    }

    /// Whether it is still anybody's.
    var isOver: Bool { slot == nil }

    /// When its token ends, in seconds since 1970.
    var end: Double { caller.token?.expiresAt ?? 0 }

    /// Brings an event, now or once what goes before it is known.
    func take(_ bytes: [UInt8], at place: EventPosition, _ now: ContinuousClock.Instant) {
        switch stage {
        case .live:
            // The hub may be about to bring what was among the events that the reader had missed.
            if place.transaction >= position.transaction { send(bytes, at: place, now) }
        case .collecting(var backlog):
            // Not copied at each event.
            stage = .waiting
            backlog.append(bytes, at: place)
            stage = .collecting(backlog)
        case .waiting, .stalled: break
        }
    }

    /// Sends an event, if the client takes what comes.
    ///
    /// - Returns: whether it does; otherwise it has to be asked for once it has.
    @discardableResult
    func send(_ bytes: [UInt8], at place: EventPosition, _ now: ContinuousClock.Instant) -> Bool {
        guard let stream else { return false }
        guard stream.backlog <= Self.room else {
            stage = .stalled(since: now)
            return false
        }
        guard stream.send(bytes) else { return false }
        position = place
        return true
    }
}
