package import NetworkAddresses
package import Problems

/// Counts the open event streams of this server and limits their number.
package struct StreamLimits {
    /// The value of `Retry-After`, in seconds.
    private static let wait = 30

    /// The most streams in total. Each takes a file descriptor and some memory.
    package let most: Int
    /// The most streams of one user: one for each device and open page, plus some whose connection was lost unnoticed.
    let mostOfUser: Int
    /// The most streams from one address (one /64 for IPv6); nil for no limit.
    package let mostFromAddress: Int?
    /// The most streams of one tenant: three quarters of all, so that other tenants find room, but at least one user's limit.
    private var mostOfTenant: Int { max(mostOfUser, most * 3 / 4) }
    package private(set) var count = 0
    private var users: [EventReader: Int] = [:]
    private var tenants: [Int: Int] = [:]
    private var addresses: [NetworkAddress: Int] = [:]

    package init(most: Int, mostOfUser: Int = 20, mostFromAddress: Int?) {
        self.most = most
        self.mostOfUser = mostOfUser
        self.mostFromAddress = mostFromAddress
    }

    /// Counts a stream in. A call of ``leave(_:from:)`` must follow.
    ///
    /// - Throws: ``Problem`` `too_many_requests` or `unavailable` if a limit is reached.
    package mutating func enter(_ user: EventReader, from address: NetworkAddress?) throws(Problem) {
        guard count < most else {
            throw Problem(.unavailable, "Too many streams of events are open on this server.", retryAfter: Self.wait)
        }
        guard users[user, default: 0] < mostOfUser else {
            throw Problem(
                .tooManyRequests, "You have \(mostOfUser) streams of events open already. Please close one of them.",
                retryAfter: Self.wait)
        }
        guard tenants[user.tenantID, default: 0] < mostOfTenant else {
            throw Problem(
                .tooManyRequests, "Too many streams of events of your organisation are open on this server.",
                retryAfter: Self.wait)
        }
        if let mostFromAddress, let address, addresses[address.subscriber, default: 0] >= mostFromAddress {
            throw Problem(
                .tooManyRequests, "Too many streams of events are open from your address.", retryAfter: Self.wait)
        }
        count += 1
        users[user, default: 0] += 1
        tenants[user.tenantID, default: 0] += 1
        if let address { addresses[address.subscriber, default: 0] += 1 }
    }

    /// Counts a stream out.
    package mutating func leave(_ user: EventReader, from address: NetworkAddress?) {
        count -= 1
        Self.decrease(&users, user)
        Self.decrease(&tenants, user.tenantID)
        if let address { Self.decrease(&addresses, address.subscriber) }
    }

    private static func decrease<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
    }
}
