public import Crypto
public import NetworkAddresses

/// The settings of the API.
public struct APIConfiguration: Sendable {
    /// The key that opens signing keys and other sealed secrets.
    public var masterKey: MasterKey
    /// The address blocks of reverse proxies whose `X-Forwarded-For` is trusted.
    public var trustedProxies: [AddressBlock] = []
    /// The rate limit of one IP address (one /64 for IPv6). A rate of 0 means no limit.
    public var addressLimit = Limit(rate: 200, burst: 2000)
    /// The rate limit of one user.
    public var userLimit = Limit(rate: 20, burst: 200)
    /// The rate limit of one tenant, for all its users and keys together.
    public var tenantLimit = Limit(rate: 5000, burst: 20_000)
    /// The rate limit of one IP address for requesting and trying one-time codes.
    public var signInLimit = Limit(rate: 1, burst: 60)
    /// The rate limit of one thing that reports. Nobody presses a button more often, and a stuck one must not cost
    /// others a connection.
    var thingLimit = Limit(rate: 10, burst: 50)
    /// The limit on signed calls to one inbound address, to which a tenant's provider forwards answers.
    public var inboundLimit = Limit(rate: 200, burst: 2000)
    /// The most event streams that may be open at once.
    public var streams = 20_000
    /// The most event streams from one IP address (one /64 for IPv6); `nil` for no limit.
    public var addressStreams: Int?
    /// The name of this process in the database's table of heartbeats.
    public var instance: String
    /// The release of this server, for the OpenAPI document and the metrics.
    public var version: String
    /// The URL at which clients reach the server. Links begin with it unless the tenant has its own host.
    public var publicURL: String

    /// The people whom one click signs in; nil except in `kith dev`.
    public var demo: Demo?

    /// A tenant for trying things out, whose people need no code to sign in.
    public struct Demo: Sendable {
        /// The tenant's slug. It is also the tenant of pages whose host belongs to none.
        public var tenant: String
        /// The display names of the people.
        public var people: [String]

        /// Creates the demo of a tenant.
        public init(tenant: String, people: [String]) {
            self.tenant = tenant
            self.people = people
        }
    }

    /// A rate limit with bursts.
    public struct Limit: Sendable, Equatable {
        /// The number of requests per second; 0 means no limit.
        public var rate: Int
        /// The number of requests at once after a pause.
        public var burst: Int

        /// Creates a limit.
        public init(rate: Int, burst: Int) {
            self.rate = rate
            self.burst = burst
        }
    }

    /// Creates a configuration with default values for everything else.
    public init(masterKey: MasterKey, instance: String, version: String, publicURL: String) {
        self.masterKey = masterKey
        self.instance = instance
        self.version = version
        self.publicURL = publicURL
    }
}
