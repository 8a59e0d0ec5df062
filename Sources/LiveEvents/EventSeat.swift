package import HTTP

/// A reader's place in a hub, from before the response's head is sent. It is released when the stream ends, or when the
/// response is dropped before the stream began.
///
/// `@unchecked Sendable`: only the response holds it, and the response is made, begun and dropped on the loop's thread.
package final class EventSeat: @unchecked Sendable {
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

    /// Starts the stream: missed events first, then new ones.
    package func begin(_ stream: HTTPEventStream) {
        isTaken = true
        hub.begin(subscription, on: stream)
    }
}
