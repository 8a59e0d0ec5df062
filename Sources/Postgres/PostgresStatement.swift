import Synchronization

/// A statement that each connection prepares at its first use, and then only executes.
///
/// Create it once and keep it (a `static let`). Every instance takes a number for the life of the process, by which a
/// connection knows what it has prepared.
public final class PostgresStatement: Sendable {
    /// The name in `pg_prepared_statements` and logs.
    public let name: String
    /// The SQL text, with `$1`, `$2`, … for parameters. Their types follow from casts and signatures.
    public let sql: String
    /// Whether values arrive in PostgreSQL's binary format, which is shorter for `bytea` and the same for text. A
    /// binary `jsonb` begins with a version byte.
    public let hasBinaryResults: Bool

    /// The index in each connection's table of prepared statements.
    let number: Int
    /// The name on the server. It includes the number, so that two statements with the same name do not collide.
    let serverName: String
    /// ``serverName`` as a C string, for libpq.
    let serverNameC: CStrings

    private static let made = Atomic(0)

    /// Creates a statement. Its name may have at most 48 bytes. The server sees it at the first use.
    public init(name: String, sql: String, hasBinaryResults: Bool = false) {
        // The server truncates names to 63 bytes, which would cut off the number.
        precondition(name.utf8.count <= 48, "the name of a statement is too long: \(name)")
        self.name = name
        self.sql = sql
        self.hasBinaryResults = hasBinaryResults
        number = Self.made.add(1, ordering: .relaxed).oldValue
        serverName = "\(name).\(number)"
        serverNameC = CStrings([serverName])
    }
}
