internal import Synchronization

/// Long work of one kind that this server has in hand: a user may have so much of it at once, because each costs memory and the
/// database's work, and a slow client can draw it out for long.
final class InFlightLimit: Sendable {
    /// When it makes sense to ask again, in seconds.
    private static let wait = 30

    private let most: Int
    private let refusal: String
    private let users = Mutex<[String: Int]>([:])

    /// Work of which a user may have `most` at once on this server; `refusal` tells who wants more.
    init(most: Int, refusal: String) {
        self.most = most
        self.refusal = refusal
    }

    /// The place of one piece of work among those of its user; given back when it is left, and at the latest when nobody holds it.
    final class Place: Sendable {
        private let user: Mutex<String?>
        private let work: InFlightLimit

        fileprivate init(user: String, in work: InFlightLimit) {
            self.user = Mutex(user)
            self.work = work
        }

        deinit { leave() }

        /// Lets the user begin another.
        func leave() {
            guard let user = user.withLock({ $0.take() }) else { return }
            work.users.withLock { users in
                guard let count = users[user] else { return }
                users[user] = count > 1 ? count - 1 : nil
            }
        }
    }

    /// A place for work of `caller`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` when there is none.
    func enter(_ caller: Caller) throws(Problem) -> Place {
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
