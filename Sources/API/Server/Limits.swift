internal import HTTP
internal import NetworkAddresses
internal import Problems
internal import Requests

/// The request rate limits of one server (A08): by address, by user and by tenant. The database limits guessing of codes, since that limit
/// must hold across servers.
struct Limits {
    private var addresses: RequestRate<NetworkAddress>
    private var users: RequestRate<String>
    private var tenants: RequestRate<Int>
    private var signIns: RequestRate<NetworkAddress>
    private let proxies: TrustedProxies

    init(_ configuration: APIConfiguration) {
        proxies = TrustedProxies(networks: configuration.trustedProxies)
        addresses = RequestRate(rate: configuration.addressLimit.rate, burst: configuration.addressLimit.burst)
        users = RequestRate(rate: configuration.userLimit.rate, burst: configuration.userLimit.burst)
        tenants = RequestRate(rate: configuration.tenantLimit.rate, burst: configuration.tenantLimit.burst)
        signIns = RequestRate(rate: configuration.signInLimit.rate, burst: configuration.signInLimit.burst)
    }

    /// Counts a request by its client's address, and returns the address. A request for a one-time code, or a try of one, also counts
    /// towards a lower limit, because each costs money or is a guess.
    ///
    /// `endpoint` is nil for an unknown path.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admit(_ request: HTTPRequest, to endpoint: Endpoint?) throws(Problem) -> NetworkAddress? {
        guard endpoint?.isRateLimited ?? true else { return nil }
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        guard let client else { return nil }
        try refuse(addresses.admit(client.subscriber, at: request.receivedSeconds))
        if endpoint?.triesOneTimeCodes ?? false {
            try refuse(signIns.admit(client.subscriber, at: request.receivedSeconds))
        }
        return client
    }

    /// Counts a request of `caller`.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    mutating func admit(_ caller: Caller, at request: HTTPRequest) throws(Problem) {
        let now = request.receivedSeconds
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

extension HTTPRequest {
    /// When the server received the request, in seconds since 1970.
    fileprivate var receivedSeconds: Double { Double(receivedAt) / 1_000_000 }
}
