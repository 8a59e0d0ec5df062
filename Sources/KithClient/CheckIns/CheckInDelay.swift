import Foundation

/// Why a check-in is not sent yet, as each try tells it, for everybody who follows the check-in.
final class CheckInDelay: Sendable {
    private struct State {
        var last: KithProblem?
        var isOver = false
        var followers: [UUID: AsyncStream<KithProblem>.Continuation] = [:]
    }

    private let state = Locked(State())

    /// The newest reason; nil as long as no try has failed.
    var last: KithProblem? { state.withLock { $0.last } }

    /// A try has failed.
    func tell(_ problem: KithProblem) {
        let followers = state.withLock { state in
            if !state.isOver { state.last = problem }
            return state.followers
        }
        for follower in followers.values { follower.yield(problem) }
    }

    /// No try follows.
    func end() {
        let followers = state.withLock { state in
            state.isOver = true
            defer { state.followers = [:] }
            return state.followers
        }
        for follower in followers.values { follower.finish() }
    }

    /// The newest reason, and each that follows, until no try follows.
    var reasons: AsyncStream<KithProblem> {
        let (reasons, follower) = AsyncStream.makeStream(of: KithProblem.self)
        let id = UUID()
        follower.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.followers.removeValue(forKey: id) }
        }
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            if let last = state.last { follower.yield(last) }
            state.followers[id] = follower
            return false
        }
        // Not under the lock: it ends the stream, which takes the lock.
        if isOver { follower.finish() }
        return reasons
    }
}
