/// What an embedded server is started with. A server that runs already keeps its own.
public struct LocalPostgresSettings: Sendable {
    /// `shared_buffers`, as PostgreSQL writes sizes.
    public var sharedBuffers = "256MB"
    /// `max_connections`.
    public var maxConnections = 200
    /// Whether a commit waits for the disk. Off only where losing the data is no loss: an ephemeral server.
    public var fsync = true
    /// A TCP port on 127.0.0.1, for tools that know no unix sockets; roles need a password there. Nil: the socket only.
    public var loopbackPort: Int?
    /// Further server parameters by name; they win over the defaults.
    public var parameters: [String: String] = [:]

    /// The defaults.
    public init() {}

    /// Socket files are named by the port, so there is one even when nothing listens on it.
    var port: Int { loopbackPort ?? 5432 }

    /// Every parameter for the server's command line.
    func commandLine(socketDirectory: String) -> [(name: String, value: String)] {
        var all = [
            "listen_addresses": loopbackPort == nil ? "" : "127.0.0.1",
            "port": String(port),
            "unix_socket_directories": socketDirectory,
            "max_connections": String(maxConnections),
            "shared_buffers": sharedBuffers,
            "fsync": fsync ? "on" : "off",
            "full_page_writes": fsync ? "on" : "off",
            // The machine's time zone must not show in results or logs.
            "timezone": "UTC",
            "log_timezone": "UTC",
            // Compiling a plan costs more than any statement of ours runs.
            "jit": "off",
            // Generating a day's pings writes more WAL than the default 1 GB, and each checkpoint then copies every
            // page again.
            "max_wal_size": "4GB",
        ]
        all.merge(parameters) { $1 }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
