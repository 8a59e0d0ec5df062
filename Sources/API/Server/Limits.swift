internal import HTTP
internal import NetworkAddresses
internal import Problems
internal import Requests
internal import Synchronization

/// The request rate limits of one server, over all its loops (A08): by address, by user and by tenant. The database
/// limits guessing of codes, since that limit must hold across servers.
///
/// A household, or a neighbourhood behind one router, has one address. So check-ins and calls for help have a limit of
/// their own there, which nothing else uses up, and a thing whose address is known counts by itself.
final class Limits: Sendable {
    // A lock for each rate, so that loops rarely wait for each other.
    private let addresses: Mutex<RequestRate<NetworkAddress>>
    private let users: Mutex<RequestRate<String>>
    private let helpCalls: Mutex<RequestRate<String>>
    private let tenants: Mutex<RequestRate<Int>>
    private let signIns: Mutex<RequestRate<NetworkAddress>>
    /// Check-ins and calls for help.
    private let checkIns: Mutex<RequestRate<NetworkAddress>>
    private let things: Mutex<RequestRate<[UInt8]>>
    /// The hashes of the tokens of things that have reported.
    private let knownThings: Mutex<KnownThings>
    private let inbound: Mutex<RequestRate<String>>
    private let lookUps: Mutex<RequestRate<NetworkAddress>>
    private let proxies: TrustedProxies

    init(_ configuration: APIConfiguration) {
        proxies = TrustedProxies(networks: configuration.trustedProxies)
        addresses = Mutex(RequestRate(configuration.addressLimit))
        users = Mutex(RequestRate(configuration.userLimit))
        helpCalls = Mutex(RequestRate(configuration.userLimit))
        tenants = Mutex(RequestRate(configuration.tenantLimit))
        signIns = Mutex(RequestRate(configuration.signInLimit))
        checkIns = Mutex(RequestRate(configuration.addressLimit))
        things = Mutex(RequestRate(configuration.thingLimit))
        knownThings = Mutex(KnownThings())
        inbound = Mutex(RequestRate(configuration.inboundLimit))
        lookUps = Mutex(RequestRate(configuration.addressLimit))
    }

    /// Counts a request by its client's address, and returns the address. A request for a one-time code, or a try of
    /// one, also counts towards a lower limit, because each costs money or is a guess.
    ///
    /// `route` is nil for an unknown path, `thing` the hash of the token of the thing that reports.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admit(
        _ request: HTTPRequest, to route: PreparedRoute?, thing: [UInt8]? = nil
    ) throws(Problem) -> NetworkAddress? {
        guard route?.endpoint.isRateLimited ?? true else { return nil }
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        guard let client else { return nil }
        if let thing, knownThings.withLock({ $0.contains(thing) }) {
            try refuse(things.withLock { $0.admit(thing, at: request.receivedSeconds) })
            return client
        }
        let (address, now) = (client.subscriber, request.receivedSeconds)
        try refuse(
            route.map { $0.endpoint.urgency != .ordinary } ?? false
                ? checkIns.withLock { $0.admit(address, at: now) } : addresses.withLock { $0.admit(address, at: now) })
        if route?.endpoint.triesOneTimeCodes ?? false {
            try refuse(signIns.withLock { $0.admit(client.subscriber, at: request.receivedSeconds) })
        }
        return client
    }

    /// Counts a request of `caller`. Calls for help have a limit of their own, which no other request of the caller or
    /// the tenant uses up.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admit(_ caller: Caller, at request: HTTPRequest, to endpoint: Endpoint) throws(Problem) {
        let now = request.receivedSeconds
        guard endpoint.urgency != .help else {
            return try refuse(helpCalls.withLock { $0.admit(caller.user, at: now) })
        }
        if case .user(let id, _) = caller.kind { try refuse(users.withLock { $0.admit(id, at: now) }) }
        try refuse(tenants.withLock { $0.admit(caller.tenantID, at: now) })
    }

    /// Learns whether the thing with the token of this hash exists.
    func learn(_ thing: [UInt8], exists: Bool) {
        knownThings.withLock { exists ? $0.insert(thing) : $0.remove(thing) }
    }

    /// Counts a call to an inbound address that no provider has signed, by its client's address, as any request of a
    /// stranger. Signed ones do not count there: a provider calls for all of a tenant's people from a few addresses,
    /// and nobody can use up its limit.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admitUnsigned(_ request: HTTPRequest) throws(Problem) {
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        guard let client else { return }
        try refuse(addresses.withLock { $0.admit(client.subscriber, at: request.receivedSeconds) })
    }

    /// Counts a call to an inbound address that this server has not read yet, by its client's address, apart from all
    /// other requests.
    ///
    /// - Throws: ``Problem`` `too_many_requests` with the seconds to wait.
    func admitLookUp(_ request: HTTPRequest) throws(Problem) {
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        guard let client else { return }
        try refuse(lookUps.withLock { $0.admit(client.subscriber, at: request.receivedSeconds) })
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

/// The things that have reported to this server, at most twice ``most``. A thing that is forgotten counts by its
/// address once more.
struct KnownThings {
    private let most: Int
    private var young: Set<[UInt8]> = []
    private var old: Set<[UInt8]> = []

    init(most: Int = 100_000) { self.most = most }

    var count: Int { young.count + old.count }

    func contains(_ thing: [UInt8]) -> Bool { young.contains(thing) || old.contains(thing) }

    mutating func insert(_ thing: [UInt8]) {
        guard !young.contains(thing) else { return }
        if young.count >= most { (old, young) = (young, []) }
        young.insert(thing)
    }

    mutating func remove(_ thing: [UInt8]) {
        young.remove(thing)
        old.remove(thing)
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
