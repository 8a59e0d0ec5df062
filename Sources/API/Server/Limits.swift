internal import HTTP
internal import NetworkAddresses
internal import Problems
internal import Requests
internal import Synchronization

/// The request rate limits of one server, over all its loops (A08): by address, by user and by tenant. The database limits guessing of
/// codes, since that limit must hold across servers.
final class Limits: Sendable {
    // A lock for each rate, so that loops rarely wait for each other.
    private let addresses: Mutex<RequestRate<NetworkAddress>>
    private let users: Mutex<RequestRate<String>>
    private let tenants: Mutex<RequestRate<Int>>
    private let signIns: Mutex<RequestRate<NetworkAddress>>
    private let inbound: Mutex<RequestRate<String>>
    private let proxies: TrustedProxies

    init(_ configuration: APIConfiguration) {
        proxies = TrustedProxies(networks: configuration.trustedProxies)
        addresses = Mutex(RequestRate(configuration.addressLimit))
        users = Mutex(RequestRate(configuration.userLimit))
        tenants = Mutex(RequestRate(configuration.tenantLimit))
        signIns = Mutex(RequestRate(configuration.signInLimit))
        inbound = Mutex(RequestRate(configuration.inboundLimit))
    }

    /// Counts a request by its client's address, and returns the address. A request for a one-time code, or a try of one, also counts
    /// towards a lower limit, because each costs money or is a guess.
    ///
    /// `route` is nil for an unknown path.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admit(_ request: HTTPRequest, to route: PreparedRoute?) throws(Problem) -> NetworkAddress? {
        guard route?.endpoint.isRateLimited ?? true else { return nil }
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        guard let client else { return nil }
        try refuse(addresses.withLock { $0.admit(client.subscriber, at: request.receivedSeconds) })
        if route?.endpoint.triesOneTimeCodes ?? false {
            try refuse(signIns.withLock { $0.admit(client.subscriber, at: request.receivedSeconds) })
        }
        return client
    }

    /// Counts a request of `caller`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admit(_ caller: Caller, at request: HTTPRequest) throws(Problem) {
        let now = request.receivedSeconds
        if case .user(let id, _) = caller.kind { try refuse(users.withLock { $0.admit(id, at: now) }) }
        try refuse(tenants.withLock { $0.admit(caller.tenantID, at: now) })
    }

    /// Counts a call to an inbound address that no provider has signed, by its client's address, as any request of a stranger. Signed ones do
    /// not count there: a provider calls for all of a tenant's people from a few addresses, and nobody can use up its limit.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admitUnsigned(_ request: HTTPRequest) throws(Problem) {
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        guard let client else { return }
        try refuse(addresses.withLock { $0.admit(client.subscriber, at: request.receivedSeconds) })
    }

    /// Counts a signed call to an inbound address, by its token.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admitInbound(_ token: String, at request: HTTPRequest) throws(Problem) {
        try refuse(inbound.withLock { $0.admit(token, at: request.receivedSeconds) })
    }

    private func refuse(_ wait: Double?) throws(Problem) {
        guard let wait else { return }
        throw Problem(
            .tooManyRequests, "Too many requests. Please wait and try again.",
            retryAfter: max(1, Int(wait.rounded(.up))))
    }
}

extension RequestRate {
    fileprivate init(_ limit: APIConfiguration.Limit) {
        self.init(rate: limit.rate, burst: limit.burst)
    }
}

extension HTTPRequest {
    /// When the server received the request, in seconds since 1970.
    fileprivate var receivedSeconds: Double { Double(receivedAt) / 1_000_000 }
}
