package import NetworkAddresses
package import Problems
internal import Synchronization

/// Counts the open event streams of this server, over all its loops, and limits their number.
package final class StreamLimits: Sendable {
    /// The value of `Retry-After`, in seconds.
    private static let wait = 30

    /// The most streams in total. Each takes a file descriptor and some memory.
    package let most: Int
    /// The most streams of one user: one for each device and open page, plus some whose connection was lost unnoticed.
    let mostOfUser: Int
    /// The most streams from one address (one /64 for IPv6); nil for no limit.
    package let mostFromAddress: Int?
    /// The most streams of one tenant: three quarters of all, so that other tenants find room, but at least one user's
    /// limit.
    private var mostOfTenant: Int { max(mostOfUser, most * 3 / 4) }
    private let counts = Mutex(Counts())

    private struct Counts {
        var total = 0
        var users: [EventReader: Int] = [:]
        var tenants: [Int: Int] = [:]
        var addresses: [NetworkAddress: Int] = [:]
    }

    /// The number of streams.
    package var count: Int { counts.withLock { $0.total } }

    package init(most: Int, mostOfUser: Int = 20, mostFromAddress: Int?) {
        self.most = most
        self.mostOfUser = mostOfUser
        self.mostFromAddress = mostFromAddress
    }

    /// Counts a stream in. A call of ``leave(_:from:)`` must follow.
    ///
    /// - Throws: ``Problem`` `too_many_requests` or `unavailable` if a limit is reached.
    package func enter(_ user: EventReader, from address: NetworkAddress?) throws(Problem) {
        let problem = counts.withLock { counts -> Problem? in
            if let problem = objection(to: user, from: address, counts) { return problem }
            counts.total += 1
            counts.users[user, default: 0] += 1
            counts.tenants[user.tenantID, default: 0] += 1
            if let address { counts.addresses[address.subscriber, default: 0] += 1 }
            return nil
        }
        if let problem { throw problem }
    }

    /// Counts a stream out.
    package func leave(_ user: EventReader, from address: NetworkAddress?) {
        counts.withLock { counts in
            counts.total -= 1
            Self.decrease(&counts.users, user)
            Self.decrease(&counts.tenants, user.tenantID)
            if let address { Self.decrease(&counts.addresses, address.subscriber) }
        }
    }

    /// The limit that another stream would exceed; nil if it may begin.
    private func objection(to user: EventReader, from address: NetworkAddress?, _ counts: Counts) -> Problem? {
        if counts.total >= most {
            return Problem(.unavailable, "Too many streams of events are open on this server.", retryAfter: Self.wait)
        }
        if counts.users[user, default: 0] >= mostOfUser {
            return Problem(
                .tooManyRequests, "You have \(mostOfUser) streams of events open already. Please close one of them.",
                retryAfter: Self.wait)
        }
        if counts.tenants[user.tenantID, default: 0] >= mostOfTenant {
            return Problem(
                .tooManyRequests, "Too many streams of events of your organisation are open on this server.",
                retryAfter: Self.wait)
        }
        if let mostFromAddress, let address, counts.addresses[address.subscriber, default: 0] >= mostFromAddress {
            return Problem(
                .tooManyRequests, "Too many streams of events are open from your address.", retryAfter: Self.wait)
        }
        return nil
    }

    private static func decrease<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
    }
}
