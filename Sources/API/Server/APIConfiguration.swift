public import Crypto

/// What the API is told by its operator.
public struct APIConfiguration: Sendable {
    /// The key that opens signing keys.
    public var masterKey: MasterKey
    /// Blocks of addresses of reverse proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` is believed.
    public var trustedProxies: [String] = []
    /// Requests a second, and at once after a pause, that one IP address (one /64 of IPv6) may send. A rate of 0 lifts the limit.
    public var addressLimit = Limit(rate: 200, burst: 2000)
    /// The same for one user.
    public var userLimit = Limit(rate: 20, burst: 200)
    /// The same for one tenant, over all its users and keys.
    public var tenantLimit = Limit(rate: 5000, burst: 20_000)
    /// The same for one IP address that asks for one-time codes or tries them.
    public var signInLimit = Limit(rate: 1, burst: 60)
    /// How many streams of events may be open at once.
    public var streams = 20_000
    /// How many of them from one IP address (one /64 of IPv6); `nil` for no limit.
    public var addressStreams: Int?
    /// What names this process among others in the database's table of heartbeats.
    public var instance: String
    /// The release that this server is, as the OpenAPI document and the metrics say it.
    public var version: String
    /// Where clients reach the server: what links begin with, where the tenant has no host of its own.
    public var publicURL: String

    /// Checks blocks of addresses before a server is made with them.
    ///
    /// - Throws: ``APIConfigurationError/invalidNetwork(_:)`` for the first that is none.
    public static func check(trustedProxies: [String]) throws(APIConfigurationError) {
        _ = try networks(trustedProxies)
    }

    /// The blocks that `texts` write.
    static func networks(_ texts: [String]) throws(APIConfigurationError) -> [NetworkAddress.Network] {
        try texts.map { text throws(APIConfigurationError) in
            guard let network = NetworkAddress.Network(text) else { throw .invalidNetwork(text) }
            return network
        }
    }

    /// A rate of requests with a burst.
    public struct Limit: Sendable, Equatable {
        /// Requests a second; 0 lifts the limit.
        public var rate: Int
        /// Requests at once after a pause.
        public var burst: Int

        /// A rate with a burst.
        public init(rate: Int, burst: Int) {
            self.rate = rate
            self.burst = burst
        }
    }

    /// The defaults, with what has none.
    public init(masterKey: MasterKey, instance: String, version: String, publicURL: String) {
        self.masterKey = masterKey
        self.instance = instance
        self.version = version
        self.publicURL = publicURL
    }
}
