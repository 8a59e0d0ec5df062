internal import EventLoop

/// Lets each user have so many requests in hand at once; the next ones wait their turn for a while. So nobody's slow calls take
/// all the connections to the database, on which somebody else's check-in depends.
///
/// `@unchecked Sendable`: touched on the event loop's thread only: by the API server of that loop and by the loop's timers.
final class Turns: @unchecked Sendable {
    /// How many requests of one user are in hand at once.
    static let atOnce = 4
    /// How long one waits for its turn.
    private static let patience = Duration.seconds(2)

    private let loop: EventLoop
    private var users: [String: Turns.User] = [:]
    private var nextWaiter = 0

    /// Who has turns, and who waits for one.
    private struct User {
        var taken = 0
        /// In the order of their numbers, which is the order in which they came.
        var waiting: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
    }

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Waits for a turn of `user`; ``give(back:)`` must follow.
    ///
    /// - Throws: ``Problem`` `too_many_requests` when none comes in time.
    func take(for user: String) async throws(Problem) {
        if users[user, default: User()].taken < Self.atOnce {
            users[user, default: User()].taken += 1
            return
        }
        let number = nextWaiter
        nextWaiter += 1
        loop.schedule(after: Self.patience) { [self] in giveUp(number, of: user) }
        let hasTurn = await withUnsafeContinuation { users[user]?.waiting.append((number, $0)) }
        guard hasTurn else {
            throw Problem(.tooManyRequests, "Too many requests at once. Wait for their answers.", retryAfter: 1)
        }
    }

    /// Ends a turn of `user`, which the next in line gets.
    func give(back user: String) {
        guard var state = users[user] else { return }
        if state.waiting.isEmpty {
            state.taken -= 1
            users[user] = state.taken > 0 ? state : nil
        } else {
            let next = state.waiting.removeFirst()
            users[user] = state
            next.continuation.resume(returning: true)
        }
    }

    private func giveUp(_ number: Int, of user: String) {
        guard let place = users[user]?.waiting.firstIndex(where: { $0.number == number }) else { return }
        users[user]?.waiting.remove(at: place).continuation.resume(returning: false)
    }
}
