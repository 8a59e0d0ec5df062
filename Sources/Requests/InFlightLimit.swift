package import Problems
internal import Synchronization

/// Limits how many long-running operations of one kind a user may have in flight on this server. Each takes memory and
/// work of the database, and a slow client can draw it out.
package final class InFlightLimit: Sendable {
    /// The value of `Retry-After`, in seconds.
    private static let wait = 30

    private let most: Int
    private let refusal: String
    private let users = Mutex<[String: Int]>([:])

    /// Allows `most` operations per user. `refusal` is the text for users who want more.
    package init(most: Int, refusal: String) {
        self.most = most
        self.refusal = refusal
    }

    /// The slot of one operation. It is released by ``leave()``, or at the latest when nothing holds it any more.
    package final class Place: Sendable {
        private let user: Mutex<String?>
        private let work: InFlightLimit

        fileprivate init(user: String, in work: InFlightLimit) {
            self.user = Mutex(user)
            self.work = work
        }

        deinit { leave() }

        /// Releases the slot.
        package func leave() {
            guard let user = user.withLock({ $0.take() }) else { return }
            work.users.withLock { users in
                guard let count = users[user] else { return }
                users[user] = count > 1 ? count - 1 : nil
            }
        }
    }

    /// Takes a slot for `caller`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` if the user has no slot left.
    package func enter(_ caller: Caller) throws(Problem) -> Place {
        let user = caller.actor
        let isFree = users.withLock { users in
            let count = users[user, default: 0]
            guard count < most else { return false }
            users[user] = count + 1
            return true
        }
        guard isFree else { throw Problem(.tooManyRequests, refusal, retryAfter: Self.wait) }
        return Place(user: user, in: self)
    }
}
