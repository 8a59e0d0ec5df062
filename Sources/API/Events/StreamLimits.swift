/// How many streams of events are open on this server, and may be.
struct StreamLimits {
    /// When it makes sense to come back, in seconds.
    private static let wait = 30

    /// How many in all; each costs a descriptor and some memory.
    let most: Int
    /// How many of one user: one for each device and open page, and some that the network has lost.
    let mostOfUser: Int
    /// How many from one address (one /64 of IPv6); nil for no limit.
    let mostFromAddress: Int?
    /// How many of one tenant: three quarters, so that the others find room, and never fewer than one user may have.
    private var mostOfTenant: Int { max(mostOfUser, most * 3 / 4) }
    private(set) var count = 0
    private var users: [EventReader: Int] = [:]
    private var tenants: [Int: Int] = [:]
    private var addresses: [NetworkAddress: Int] = [:]

    init(most: Int, mostOfUser: Int = 20, mostFromAddress: Int?) {
        self.most = most
        self.mostOfUser = mostOfUser
        self.mostFromAddress = mostFromAddress
    }

    /// Counts one more; ``leave(_:from:)`` must follow.
    ///
    /// - Throws: ``Problem`` `too_many_requests` or `unavailable` where there are enough.
    mutating func enter(_ user: EventReader, from address: NetworkAddress?) throws(Problem) {
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

    /// Counts one less.
    mutating func leave(_ user: EventReader, from address: NetworkAddress?) {
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
