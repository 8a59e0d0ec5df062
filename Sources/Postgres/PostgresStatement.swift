import Synchronization

/// A statement that each connection prepares when it first runs it, and from then on only executes.
///
/// Make it once and keep it (a `static let`): every instance takes a number for the life of the process, by which a
/// connection knows what it has prepared.
public final class PostgresStatement: Sendable {
    /// What `pg_prepared_statements` and logs call it.
    public let name: String
    /// Its text, with `$1`, `$2`, … for parameters. Their types follow from casts and signatures.
    public let sql: String
    /// Whether values come in PostgreSQL's binary format, which is shorter for `bytea` and the same for text. `jsonb`
    /// has a version byte in front there.
    public let hasBinaryResults: Bool

    /// Its place in a connection's table of what is prepared.
    let number: Int
    /// Its name on the server. Holds the number, so that two statements of one name do not meet.
    let serverName: String
    /// The same, ready for libpq.
    let serverNameC: CStrings

    private static let made = Atomic(0)

    /// Names a statement, in 48 bytes at most; the server sees it when it first runs.
    public init(name: String, sql: String, hasBinaryResults: Bool = false) {
        // The server cuts names at 63 bytes, and with them the number.
        precondition(name.utf8.count <= 48, "the name of a statement is too long: \(name)")
        self.name = name
        self.sql = sql
        self.hasBinaryResults = hasBinaryResults
        number = Self.made.add(1, ordering: .relaxed).oldValue
        serverName = "\(name).\(number)"
        serverNameC = CStrings([serverName])
    }
}
