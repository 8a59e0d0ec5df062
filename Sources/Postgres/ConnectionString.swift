internal import CLibPQ

/// A libpq connection string (a `postgresql://` URL or `key=value` pairs) with the options that the program adds.
///
/// It may contain a password, so it has no description and no part of it appears in an error.
struct ConnectionString: Sendable {
    private var options: [String: String] = [:]

    /// Parses `url`. `settings` are run-time parameters of the session. They travel in the start-up message, so they
    /// cost no round trip and apply before the first statement.
    init(
        _ url: String, applicationName: String, settings: [(String, String)] = [], connectTimeout: Int = 3
    ) throws(PostgresError) {
        options = try Self.options(of: url)
        try refuseMisplacedPassword()
        options["client_encoding"] = "UTF8"
        if options["application_name"] == nil { options["application_name"] = applicationName }
        options.merge(Self.defaults) { given, _ in given }
        if options["connect_timeout"] == nil { options["connect_timeout"] = String(connectTimeout) }
        let flags = settings.map { "-c \($0)=\(Self.escaped($1))" }
        if !flags.isEmpty {
            options["options"] = ([options["options"]].compactMap { $0 } + flags).joined(separator: " ")
        }
    }

    /// The options that `url` sets, by libpq's keywords.
    static func options(of url: String) throws(PostgresError) -> [String: String] {
        guard !url.utf8.contains(0), let parsed = PQconninfoParse(url, nil) else {
            // libpq's own message quotes the string, including the password.
            throw .invalidConfiguration(reason: "the database URL is not a libpq connection string")
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var next = parsed
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            next += 1
        }
        return options
    }

    /// With the system's defaults, a connection to a host that was cut off would seem alive for two hours. These find
    /// out within 15 s (PostgreSQL manual, "Parameter Key Words"). They do not apply to sockets.
    private static let defaults = [
        "keepalives_idle": "6", "keepalives_interval": "3", "keepalives_count": "3", "tcp_user_timeout": "15000",
    ]

    /// Whether a session must be one that can write, as that of a primary.
    var requiresPrimary: Bool { ["read-write", "primary"].contains(options["target_session_attrs"]) }

    /// The host, or several with commas between them; empty for libpq's default.
    var host: String { options["host"] ?? "" }

    /// A connection string for each host. Only one, with all hosts, if the choice between them is libpq's: for
    /// `prefer-standby` it may have to go through them twice.
    var hosts: [ConnectionString] {
        let attributes = options["target_session_attrs"] ?? "any"
        let lists = ["host", "hostaddr", "port"].compactMap { name in
            options[name].map { (name, $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)) }
        }
        let count = lists.map(\.1.count).max() ?? 1
        guard requiresPrimary || attributes == "any", lists.allSatisfy({ $0.1.count == count || $0.1.count == 1 })
        else {
            return [self]
        }
        return (0..<count).map { index in
            var one = self
            for (name, values) in lists { one.options[name] = values[values.count == 1 ? 0 : index] }
            return one
        }
    }

    /// Refuses a URL whose password contains an unescaped `/` or `@`. libpq would read parts of the password as port
    /// and host, and name them in its messages.
    private func refuseMisplacedPassword() throws(PostgresError) {
        let ports = (options["port"] ?? "").split(separator: ",")
        let hosts = (options["host"] ?? "").split(separator: ",")
        // A host that begins with `@` or `/` is a socket.
        guard ports.allSatisfy({ UInt16($0) != nil }),
            hosts.allSatisfy({ $0.hasPrefix("/") || !$0.dropFirst().contains("@") })
        else {
            throw .invalidConfiguration(
                reason: "the database URL has no valid host and port; write / and @ in a password as %2F and %40")
        }
    }

    /// Opens a connection, and blocks until it is open or the connect timeout passes. The timeout covers name
    /// resolution and TLS.
    func open() throws(PostgresError) -> OpaquePointer {
        let names = options.keys.sorted()
        let keywords = CStrings(names)
        let values = CStrings(names.map { options[$0] ?? "" })
        guard let handle = PQconnectdbParams(keywords.pointer, values.pointer, 0) else {
            throw .unavailable(reason: "out of memory")
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            // The message names the host, port, user and database, but never the password.
            let message = String(cString: PQerrorMessage(handle))
            PQfinish(handle)
            throw .unavailable(reason: message.split(separator: "\n").joined(separator: " "))
        }
        return handle
    }

    /// Escapes a value. In `options`, a space ends a flag unless a backslash precedes it (PostgreSQL manual, libpq,
    /// `options`).
    private static func escaped(_ value: String) -> String {
        value.map { $0 == " " || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
