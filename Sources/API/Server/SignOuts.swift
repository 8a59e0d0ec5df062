internal import EventLoop
internal import Synchronization

/// Tells all event loops of a server that a sign-in, a user or a secret key has ended, so that none of them trusts it
/// any more.
final class SignOuts: Sendable {
    /// What has ended. Names are ids.
    enum Ended: Sendable {
        /// One sign-in of a user.
        case signIn(String, user: String, tenantID: Int)
        /// All sign-ins of a user.
        case user(String, tenantID: Int)
        case key(String)
    }

    private typealias Listener = (loop: EventLoop, forget: @Sendable (Ended) -> Void)
    private let listeners = Mutex<[Listener]>([])

    /// Calls `forget` on `loop` with all that ends from now on.
    func listen(on loop: EventLoop, _ forget: @escaping @Sendable (Ended) -> Void) {
        listeners.withLock { $0.append((loop, forget)) }
    }

    /// Returns when no loop trusts what has ended.
    func tell(_ ended: Ended) async {
        for listener in listeners.withLock({ $0 }) {
            await withTaskExecutorPreference(listener.loop) { listener.forget(ended) }
        }
    }
}
