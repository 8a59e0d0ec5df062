internal import HTTP

/// The place of a reader among those of a hub, from before the answer's head on. It is given back when the stream ends, or when the
/// answer is dropped without one having begun.
///
/// `@unchecked Sendable`: only the answer holds it, which is made, begun and dropped on the loop's thread.
final class EventSeat: @unchecked Sendable {
    private let subscription: EventSubscription
    private let hub: EventHub
    private var isTaken = false

    init(of subscription: EventSubscription, in hub: EventHub) {
        self.subscription = subscription
        self.hub = hub
    }

    deinit {
        if !isTaken { hub.leave(subscription) }
    }

    /// Gives the reader what happens from now on, and first what it has missed.
    func begin(_ stream: HTTPEventStream) {
        isTaken = true
        hub.begin(subscription, on: stream)
    }
}
