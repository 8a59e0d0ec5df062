/// The server's error for a statement that it refused (PostgreSQL manual, "Error and Notice Message Fields").
public struct PostgresServerError: Sendable {
    /// The error code. Base decisions on this field.
    public let sqlState: SQLState
    /// The primary message. It may quote what a person typed, so it must not be logged.
    public let message: String
    /// The detail. It often quotes the row, so it must not be logged.
    public let detail: String?
    /// The server's suggestion.
    public let hint: String?
    /// The name of the violated constraint. A distributed database appends a shard's number to it.
    public let constraint: String?
    /// The table that the error concerns.
    public let table: String?
    /// The position of the error in the script, in characters from 1, if the server reports it.
    public let position: Int?
    /// The stack of functions in which the error occurred.
    public let context: String?

    /// The innermost function in which the error occurred, with its line. This part of the context quotes nothing that
    /// a person typed.
    var function: String? {
        context?.split(separator: "\n").first { $0.hasPrefix("PL/pgSQL function ") }.map { line in
            String(line.dropFirst("PL/pgSQL function ".count))
        }
    }

    /// Whether a row was to go into a default partition, or into none, and another session attached the right partition
    /// meanwhile. PostgreSQL calls it a violated check that has no name.
    public var isOfNewPartition: Bool { sqlState == .checkViolation && constraint == nil }

    /// Creates an error by hand, for tests and for refusals before sending.
    public init(
        sqlState: SQLState, message: String, detail: String? = nil, hint: String? = nil, constraint: String? = nil,
        table: String? = nil, position: Int? = nil, context: String? = nil
    ) {
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
        self.table = table
        self.position = position
        self.context = context
    }
}
