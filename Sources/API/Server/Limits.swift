/// The limits of A08 on one server: by address, by user, by tenant. What guessing codes costs is the database's to count,
/// because it must hold across servers.
struct Limits {
    private var addresses: RequestRate<NetworkAddress>
    private var users: RequestRate<String>
    private var tenants: RequestRate<Int>
    private var signIns: RequestRate<NetworkAddress>

    init(_ configuration: APIConfiguration) {
        addresses = RequestRate(rate: configuration.addressLimit.rate, burst: configuration.addressLimit.burst)
        users = RequestRate(rate: configuration.userLimit.rate, burst: configuration.userLimit.burst)
        tenants = RequestRate(rate: configuration.tenantLimit.rate, burst: configuration.tenantLimit.burst)
        signIns = RequestRate(rate: configuration.signInLimit.rate, burst: configuration.signInLimit.burst)
    }

    /// Takes one request from `address`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admit(_ address: NetworkAddress?, at now: Double) throws(Problem) {
        guard let address else { return }
        try refuse(addresses.admit(address.subscriber, at: now))
    }

    /// Takes one request from `address` that asks for a one-time code or tries one: each costs money, or is a guess.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admitSignIn(_ address: NetworkAddress?, at now: Double) throws(Problem) {
        guard let address else { return }
        try refuse(signIns.admit(address.subscriber, at: now))
    }

    /// Takes one request of `caller`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admit(_ caller: Caller, at now: Double) throws(Problem) {
        if case .user(let id, _) = caller.kind { try refuse(users.admit(id, at: now)) }
        try refuse(tenants.admit(caller.tenantID, at: now))
    }

    private func refuse(_ wait: Double?) throws(Problem) {
        guard let wait else { return }
        throw Problem(
            .tooManyRequests, "Too many requests. Please wait and try again.",
            retryAfter: max(1, Int(wait.rounded(.up))))
    }
}
