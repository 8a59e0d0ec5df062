/// Why the embedded PostgreSQL does not run. The description is for the person at the terminal, and names the remedy.
public struct LocalPostgresError: Error, Sendable, CustomStringConvertible {
    /// One line, or a line followed by the end of the server's log.
    public let description: String

    /// The command that corrects the problem.
    public let remedy: String

    init(_ description: String, remedy: String = "make setup") {
        self.description = description
        self.remedy = remedy
    }
}
