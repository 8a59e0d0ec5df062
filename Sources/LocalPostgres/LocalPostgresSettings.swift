/// The settings with which an embedded server is started. A server that is already running keeps its own.
public struct LocalPostgresSettings: Sendable {
    /// `shared_buffers`, in PostgreSQL's notation of sizes.
    public var sharedBuffers = "256MB"
    /// `max_connections`.
    public var maxConnections = 200
    /// Whether a commit waits for the disk. Turn it off only for an ephemeral server, whose data may be lost.
    public var fsync = true
    /// A TCP port on 127.0.0.1, for tools that do not support unix sockets. Roles need a password there. Nil for the
    /// socket only.
    public var loopbackPort: Int?
    /// Further server parameters, by name. They override the defaults.
    public var parameters: [String: String] = [:]

    /// Creates the default settings.
    public init() {}

    /// The port. Socket files are named after it, so there is one even when nothing listens on TCP.
    var port: Int { loopbackPort ?? 5432 }

    /// Every parameter of the server's command line.
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
            // With %a, a line names the request that caused it.
            "log_line_prefix": "%m [%p] %q%u@%d %a ",
            // Compiling a plan costs more than any of Kith's statements takes to run.
            "jit": "off",
            // Generating a day's pings writes more WAL than the default of 1 GB, and each checkpoint would copy every
            // page again.
            "max_wal_size": "4GB",
            // The first change of a page after a checkpoint writes the whole page to the WAL.
            "wal_compression": "lz4",
        ]
        all.merge(parameters) { $1 }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
