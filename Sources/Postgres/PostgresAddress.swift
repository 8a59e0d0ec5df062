/// Where a database is, without who logs in there: a libpq URL with hosts, ports and the database's name, but no user
/// and no password.
public struct PostgresAddress: Sendable, Equatable {
    /// The URL as it was written.
    public let text: String
    private let options: [String: String]

    /// The options that say where a database is and how it is reached. Everything else comes from the URL of the
    /// program.
    private static let allowed: Set = [
        "host", "hostaddr", "port", "dbname", "target_session_attrs", "sslmode", "sslrootcert", "connect_timeout",
    ]

    /// Reads an address.
    ///
    /// - Throws: `.invalidConfiguration` for a text that is no libpq URL, that names no host or database, or that has
    ///   other options than those of an address, such as a password. The text is not repeated in the error.
    public init(_ text: String) throws(PostgresError) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw .invalidConfiguration(reason: "the address must be a URL like postgresql://db2.example.com/kith")
        }
        let options = try ConnectionString.options(of: text)
        if let surplus = options.keys.filter({ !Self.allowed.contains($0) }).min() {
            throw .invalidConfiguration(
                reason: "the address must say only where the database is, without \(surplus): each program logs in as"
                    + " its own URL says")
        }
        guard options["dbname"] != nil, options["host"] != nil || options["hostaddr"] != nil else {
            throw .invalidConfiguration(reason: "the address must name a host and a database")
        }
        self.text = text
        self.options = options
    }

    /// A connection string for this address that logs in as `url` does. Its other options are those of `url`, unless
    /// the address has them too.
    ///
    /// - Throws: `.invalidConfiguration` if libpq cannot read `url`.
    public func connectionString(loggingInAs url: String) throws(PostgresError) -> String {
        let places: Set = ["host", "hostaddr", "port", "dbname", "service"]
        let merged = try ConnectionString.options(of: url).filter { !places.contains($0.key) }
            .merging(options) { $1 }
        return merged.sorted { $0.key < $1.key }.map { name, value in
            "\(name)='\(value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())'"
        }.joined(separator: " ")
    }
}
