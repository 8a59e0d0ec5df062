/// The request rate limits of one server (A08): by address, by user and by tenant. The database limits guessing of codes, since that limit
/// must hold across servers.
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

    /// Counts a request from `address`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admit(_ address: NetworkAddress?, at now: Double) throws(Problem) {
        guard let address else { return }
        try refuse(addresses.admit(address.subscriber, at: now))
    }

    /// Counts a request from `address` that requests or tries a one-time code. Each costs money or is a guess.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admitSignIn(_ address: NetworkAddress?, at now: Double) throws(Problem) {
        guard let address else { return }
        try refuse(signIns.admit(address.subscriber, at: now))
    }

    /// Counts a request of `caller`.
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
