internal import EventLoop
internal import HTTP
internal import NetworkAddresses
internal import Requests

/// An open stream of events, and its reader's position.
///
/// `@unchecked Sendable`: used only on the loop's thread, by that loop's ``EventHub`` and through it.
final class EventSubscription: @unchecked Sendable {
    /// How the stream handles new events.
    enum Stage {
        /// Keeps them until what goes first is known: the response's head, or the missed events.
        case collecting(EventBacklog)
        /// Drops them, since the missed events will be read later.
        case waiting
        /// Drops them until the client has accepted what it was sent. Then the missed events are read.
        case stalled(since: ContinuousClock.Instant)
        /// Sends them at once.
        case live
    }

    let caller: Caller
    /// The id of the request that opened the stream.
    let request: String
    let reader: EventReader
    let address: NetworkAddress?
    /// A running number that spreads periodic work over the streams.
    let number: Int
    /// The index in the hub's list; nil if the subscription is not in it.
    var slot: Int?
    /// Nil until the response's head is sent.
    var stream: HTTPEventStream?
    var stage = Stage.collecting(EventBacklog())
    /// The position up to which the reader has everything.
    var position: EventPosition
    /// How many missed events are read at once. The first ones come soon, since clients come and go.
    var pageSize = BatchSize(most: EventFeed.pageSize, first: EventFeed.firstPageSize)
    /// The most bytes that may wait for a live client. A slower client has its missed events read again later, so that
    /// it uses no more memory.
    private static let room = 16 << 10

    init(caller: Caller, request: String, from address: NetworkAddress?, number: Int, position: EventPosition) {
        self.caller = caller
        self.request = request
        self.address = address
        self.number = number
        self.position = position
        reader = EventReader(tenantID: caller.tenantID, user: caller.user)
    }

    /// Whether the hub has removed the subscription.
    var isOver: Bool { slot == nil }

    /// When the access token expires, in seconds since 1970.
    var end: Double { caller.token?.expiresAt ?? 0 }

    /// Handles a new event according to ``stage``.
    func take(_ bytes: [UInt8], at place: EventPosition, _ now: ContinuousClock.Instant) {
        switch stage {
        case .live:
            // The hub may deliver an event again that the reader got while catching up.
            if place.transaction >= position.transaction { send(bytes, at: place, now) }
        case .collecting(var backlog):
            // Moves the backlog out of `stage`, so that appending does not copy it.
            stage = .waiting
            backlog.append(bytes, at: place)
            stage = .collecting(backlog)
        case .waiting, .stalled: break
        }
    }

    /// Sends an event, unless the client has too much unread.
    ///
    /// - Returns: Whether the event was sent. If not, the missed events must be read once the client has caught up.
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
