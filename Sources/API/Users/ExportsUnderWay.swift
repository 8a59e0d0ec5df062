internal import Synchronization

/// The exports that this server is writing: a user may have two at once, because each takes the database minutes of work in the
/// worst case and a slow reader can draw it out for long.
final class ExportsUnderWay: Sendable {
    /// How many one user may have at once on a server.
    static let most = 2
    /// When it makes sense to ask again, in seconds.
    private static let wait = 30

    private let users = Mutex<[String: Int]>([:])

    /// One export's place among those of its user; given back when it is left, and at the latest when nobody holds it.
    final class Place: Sendable {
        private let user: Mutex<String?>
        private let exports: ExportsUnderWay

        fileprivate init(user: String, in exports: ExportsUnderWay) {
            self.user = Mutex(user)
            self.exports = exports
        }

        deinit { leave() }

        /// Lets the user begin another.
        func leave() {
            guard let user = user.withLock({ $0.take() }) else { return }
            exports.users.withLock { users in
                guard let count = users[user] else { return }
                users[user] = count > 1 ? count - 1 : nil
            }
        }
    }

    /// A place for an export of `caller`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` when there is none.
    func enter(_ caller: Caller) throws(Problem) -> Place {
        let user = caller.actor
        let isFree = users.withLock { users in
            let count = users[user, default: 0]
            guard count < Self.most else { return false }
            users[user] = count + 1
            return true
        }
        guard isFree else {
            throw Problem(
                .tooManyRequests, "Your data is being exported already. Please wait until that is done.",
                retryAfter: Self.wait)
        }
        return Place(user: user, in: self)
    }
}
