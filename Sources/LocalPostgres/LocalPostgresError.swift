/// Why the embedded PostgreSQL does not run. The description is for the person at the terminal and names what mends it.
public struct LocalPostgresError: Error, Sendable, CustomStringConvertible {
    /// One line, or a line and the end of the server's log.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
