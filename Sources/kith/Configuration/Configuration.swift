internal import API
internal import Delivery
internal import Foundation
internal import HTTP
internal import Logging
internal import NetworkAddresses
internal import Postgres
internal import Worker

/// The operator's configuration, checked. A wrong value of any variable is an error that names it, whatever the
/// command.
struct Configuration {
    /// Every variable, with its meaning. Unknown `KITH_` names are refused, because a misspelt one would silently have
    /// no effect.
    static let variables: [(name: String, meaning: String)] = [
        (
            "KITH_DATABASE_URL",
            """
            libpq URL of the database for `serve`; if this and the next two are empty, the embedded PostgreSQL of \
            KITH_HOME
            """
        ),
        (
            "KITH_READ_DATABASE_URL",
            """
            the same for reads by `serve` from standbys that have everything acknowledged; default none, reads go to \
            the primary
            """
        ),
        ("KITH_WORKER_DATABASE_URL", "the same for `worker`; default KITH_DATABASE_URL"),
        (
            "KITH_OWNER_DATABASE_URL",
            """
            the same for `migrate`, `tenant`, `token`, `keys`, `psql`, `doctor`, `top` and `logs`; default \
            KITH_DATABASE_URL
            """
        ),
        (
            "KITH_CELL",
            """
            the cell on which a command works, or `worker`, as --cell NAME says it; default the directory, and for \
            `worker` every cell
            """
        ),
        ("KITH_PUBLIC_URL", "the URL by which clients reach the server, for links; default http://KITH_LISTEN"),
        ("KITH_LISTEN", "address of the API; default 127.0.0.1:8080"),
        ("KITH_METRICS_LISTEN", "address of /metrics; default 127.0.0.1:9090"),
        (
            "KITH_TRUSTED_PROXIES",
            "comma-separated address blocks of the proxies whose X-Forwarded-For is trusted; default none"
        ),
        ("KITH_HOME", "folder of the embedded PostgreSQL and the development key; default .kith"),
        (
            "KITH_MASTER_KEY",
            "64 hexadecimal digits or base64 of 32 bytes; several, separated by commas, during a rotation"
        ),
        ("KITH_MASTER_KEY_FILE", "a file with the same, read again whenever it changes"),
        (
            "KITH_DELIVERY",
            """
            where `worker` sends messages: channels (the tenants' providers), console, file:PATH (a JSON line each) \
            or none; default channels, for `dev` console
            """
        ),
        (
            "KITH_OUTBOUND_ALLOW",
            """
            comma-separated address blocks in which tenants' providers and webhooks may be although not public; \
            default none
            """
        ),
        ("KITH_CA_FILE", "the trusted certificate authorities for outgoing connections, in PEM; default the system's"),
        ("KITH_APNS_URL", "a server to use instead of Apple's; default none"),
        (
            "KITH_BEAT_URL",
            "the URL of an outside monitoring service to which `worker` reports every minute; default none"
        ),
        (
            "KITH_CLOCK_OFFSET",
            """
            seconds by which the clocks of `serve` and `worker` are ahead of the machine's, only on a database that \
            `kith dev` made; default none
            """
        ),
        (
            "KITH_WORKER_LOOPS",
            """
            the pace of loops of `worker`, comma-separated LOOP=BATCH/SECONDS: rows at once, and the rest without \
            work; default as admin.loops says
            """
        ),
        ("KITH_LOG", "text or json; default text"),
        ("KITH_LOOPS", "threads of `serve` that answer requests, 1 to 64; default one for each processor, at most 8"),
        ("KITH_READ_CONNECTIONS", "connections for reads, 1 to 100; default 4"),
        ("KITH_WRITE_CONNECTIONS", "connections for writes, 1 to 200; default 8"),
        ("KITH_CHECK_IN_CONNECTIONS", "connections for check-ins, 1 to 200; default 12"),
        ("KITH_ADDRESS_LIMIT", "requests a second/at once for one IP address, 0 lifts the limit; default 200/2000"),
        ("KITH_USER_LIMIT", "the same for one user; default 20/200"),
        ("KITH_TENANT_LIMIT", "the same for one tenant; default 5000/20000"),
        (
            "KITH_SIGN_IN_LIMIT",
            "the same for requests of one IP address that ask for one-time codes or try them; default 1/60"
        ),
        ("KITH_INBOUND_LIMIT", "the same for the signed calls to one inbound address; default 200/2000"),
        ("KITH_ADDRESS_CONNECTIONS", "connections of one IP address at once; default 2000, behind proxies no limit"),
        ("KITH_STREAMS", "event streams open at once, 0 to 1000000; default 20000"),
    ]

    let databaseURL: String?
    /// The standbys for reads; nil if the primary answers them.
    let readDatabaseURL: String?
    let workerDatabaseURL: String?
    let ownerDatabaseURL: String?
    /// The cell on which a command works; nil for the directory.
    let cell: String?
    /// Whether no variable names a database, so that the embedded one is used.
    let isEmbedded: Bool
    /// Whether KITH_HOME names the folder of the embedded one.
    let namesHome: Bool
    /// The URL by which clients reach the server, if it is not the address at which it listens.
    let publicURL: String?
    let listen: ListenAddress
    let metricsListen: ListenAddress
    let trustedProxies: [AddressBlock]
    let home: String
    let masterKey: MasterKeySource
    let delivery: DeliveryMeans?
    let outboundRules: OutboundRules
    let apnsURL: String?
    let beatURL: String?
    /// The seconds by which the clock of a process is ahead of the machine's; nil for the machine's clock.
    let clockOffset: Int?
    /// The pace of the worker's loops.
    let workerPace: WorkerPace
    let log: Log.Format
    /// The number of the server's event loops, each with a thread.
    let loops: Int
    let lanes: PostgresLanes
    let addressLimit: APIConfiguration.Limit?
    let userLimit: APIConfiguration.Limit?
    let tenantLimit: APIConfiguration.Limit?
    /// The most connections that one address may have open; nil for no limit.
    let addressConnections: Int?
    let signInLimit: APIConfiguration.Limit?
    let inboundLimit: APIConfiguration.Limit?
    /// The most event streams that may be open at once.
    let streams: Int?

    /// The source of the master key.
    enum MasterKeySource {
        case text(String, variable: String)
        case file(String, variable: String)
        /// `master.key` in KITH_HOME, created when it is first needed. Only with the embedded PostgreSQL.
        case home
        /// No variable is set, and the database is not embedded.
        case missing
    }

    /// The destination of outgoing messages.
    enum DeliveryMeans: Equatable {
        /// The tenants' own providers.
        case channels
        case console
        case file(String)
        /// Nowhere. Messages wait for another worker, or until they expire.
        case none
    }

    /// Reads and checks every variable.
    ///
    /// - Throws: ``CommandError`` that names the first wrong variable and says what it should be.
    init(_ environment: Environment) throws {
        if let name = environment.names(besides: Set(Self.variables.map(\.name))).first {
            throw Self.wrong(name, "is not a variable of Kith; deploy/README.md lists them")
        }
        databaseURL = try Self.url("KITH_DATABASE_URL", environment)
        readDatabaseURL = try Self.url("KITH_READ_DATABASE_URL", environment)
        workerDatabaseURL = try Self.url("KITH_WORKER_DATABASE_URL", environment)
        ownerDatabaseURL = try Self.url("KITH_OWNER_DATABASE_URL", environment)
        if readDatabaseURL != nil, databaseURL == nil {
            throw Self.wrong("KITH_READ_DATABASE_URL", "requires KITH_DATABASE_URL, the URL of the primary")
        }
        cell = environment["KITH_CELL"]
        isEmbedded = databaseURL == nil && workerDatabaseURL == nil && ownerDatabaseURL == nil
        listen = try Self.address("KITH_LISTEN", environment, "127.0.0.1:8080")
        metricsListen = try Self.address("KITH_METRICS_LISTEN", environment, "127.0.0.1:9090")
        publicURL = try Self.webURL("KITH_PUBLIC_URL", environment)
        trustedProxies = try Self.addressBlocks("KITH_TRUSTED_PROXIES", environment)
        namesHome = environment["KITH_HOME"] != nil
        home = environment["KITH_HOME"] ?? ".kith"
        delivery = try Self.delivery(environment)
        outboundRules = try Self.outboundRules(environment)
        apnsURL = try Self.webURL("KITH_APNS_URL", environment)
        beatURL = try Self.webURL("KITH_BEAT_URL", environment)
        // A report of trouble goes to the URL with /fail appended.
        if beatURL?.contains(where: { "?#".contains($0) }) == true {
            throw Self.wrong("KITH_BEAT_URL", "must be a URL without a query")
        }
        // About 30 years, so that PostgreSQL accepts every instant.
        clockOffset = try Self.number("KITH_CLOCK_OFFSET", environment, -1_000_000_000...1_000_000_000)
        workerPace = try Self.workerPace(environment)
        guard let log = Log.Format(rawValue: environment["KITH_LOG"] ?? "text") else {
            throw Self.wrong("KITH_LOG", "must be text or json")
        }
        self.log = log
        loops = try Self.number("KITH_LOOPS", environment, 1...64) ?? Self.defaultLoops
        var lanes = PostgresLanes()
        lanes.reads.connections =
            try Self.number("KITH_READ_CONNECTIONS", environment, 1...100) ?? lanes.reads.connections
        lanes.writes.connections =
            try Self.number("KITH_WRITE_CONNECTIONS", environment, 1...200) ?? lanes.writes.connections
        lanes.checkIns.connections =
            try Self.number("KITH_CHECK_IN_CONNECTIONS", environment, 1...200) ?? lanes.checkIns.connections
        self.lanes = lanes
        addressLimit = try Self.limit("KITH_ADDRESS_LIMIT", environment)
        userLimit = try Self.limit("KITH_USER_LIMIT", environment)
        tenantLimit = try Self.limit("KITH_TENANT_LIMIT", environment)
        signInLimit = try Self.limit("KITH_SIGN_IN_LIMIT", environment)
        inboundLimit = try Self.limit("KITH_INBOUND_LIMIT", environment)
        // Behind a proxy, all connections come from the proxy.
        let connections =
            try Self.number("KITH_ADDRESS_CONNECTIONS", environment, 0...1_000_000)
            ?? (trustedProxies.isEmpty ? 2000 : 0)
        addressConnections = connections == 0 ? nil : connections
        streams = try Self.number("KITH_STREAMS", environment, 0...1_000_000)
        masterKey = try Self.masterKey(environment, embedded: isEmbedded)
    }

    /// A loop for each processor that the process may use, at most 8.
    private static var defaultLoops: Int { min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8) }

    private static func wrong(_ name: String, _ reason: String) -> CommandError {
        CommandError("\(name) \(reason)", status: 78)
    }

    private static func url(_ name: String, _ environment: Environment) throws -> String? {
        guard let text = environment[name] else { return nil }
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw wrong(name, "must be a libpq URL like postgresql://kith_api@db.example.com/kith")
        }
        return text
    }

    private static func address(_ name: String, _ environment: Environment, _ usual: String) throws -> ListenAddress {
        guard let address = ListenAddress(environment[name] ?? usual) else {
            throw wrong(name, "must be an address and a port like 127.0.0.1:8080 or [::1]:8080")
        }
        return address
    }

    private static func number(_ name: String, _ environment: Environment, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw wrong(name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func limit(_ name: String, _ environment: Environment) throws -> APIConfiguration.Limit? {
        guard let text = environment[name] else { return nil }
        if text == "0" { return APIConfiguration.Limit(rate: 0, burst: 1) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let rate = parts[0], let burst = parts[1], rate > 0, burst > 0 else {
            throw wrong(name, "must be requests a second/at once like 20/200, or 0 for no limit")
        }
        return APIConfiguration.Limit(rate: rate, burst: burst)
    }

    private static func workerPace(_ environment: Environment) throws -> WorkerPace {
        guard let text = environment["KITH_WORKER_LOOPS"] else { return WorkerPace() }
        do throws(WorkerPace.Problem) {
            return try WorkerPace(text)
        } catch {
            throw wrong("KITH_WORKER_LOOPS", "\(error)")
        }
    }

    private static func webURL(_ name: String, _ environment: Environment) throws -> String? {
        guard let text = environment[name] else { return nil }
        guard text.hasPrefix("http://") || text.hasPrefix("https://"), URL(string: text)?.host() != nil else {
            throw wrong(name, "must be a URL like https://api.example.com")
        }
        return text
    }

    private static func outboundRules(_ environment: Environment) throws -> OutboundRules {
        let allowed = try addressBlocks("KITH_OUTBOUND_ALLOW", environment)
        let certificates = environment["KITH_CA_FILE"]
        if let certificates, !FileManager.default.isReadableFile(atPath: certificates) {
            throw wrong("KITH_CA_FILE", "names a file that cannot be read")
        }
        return OutboundRules(allowed: allowed, certificates: certificates)
    }

    /// The blocks of addresses in a variable, separated by commas.
    private static func addressBlocks(_ name: String, _ environment: Environment) throws -> [AddressBlock] {
        try (environment[name] ?? "").split(separator: ",").map { word in
            guard let block = AddressBlock(word.trimmingCharacters(in: .whitespaces)) else {
                throw wrong(name, "must be blocks of addresses like 10.0.0.0/8,fd00::/8")
            }
            return block
        }
    }

    private static func delivery(_ environment: Environment) throws -> DeliveryMeans? {
        switch environment["KITH_DELIVERY"] {
        case nil: nil
        case "channels": .channels
        case "console": .console
        case "none": DeliveryMeans.none
        case let text? where text.hasPrefix("file:") && text.utf8.count > 5: .file(String(text.dropFirst(5)))
        default: throw wrong("KITH_DELIVERY", "must be channels, console, file:PATH or none")
        }
    }

    private static func masterKey(_ environment: Environment, embedded: Bool) throws -> MasterKeySource {
        if let text = environment["KITH_MASTER_KEY"] { return .text(text, variable: "KITH_MASTER_KEY") }
        guard let path = environment["KITH_MASTER_KEY_FILE"] else { return embedded ? .home : .missing }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw wrong("KITH_MASTER_KEY_FILE", "names a file that cannot be read")
        }
        return .file(path, variable: "KITH_MASTER_KEY_FILE")
    }
}
