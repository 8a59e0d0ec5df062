/// What the server said about a statement that it refused (PostgreSQL manual, "Error and Notice Message Fields").
public struct PostgresServerError: Sendable {
    /// What kind of error it is: the field to decide by.
    public let sqlState: SQLState
    /// The primary message. It may quote what a person typed: not for logs.
    public let message: String
    /// More about it; often quotes the row: not for logs.
    public let detail: String?
    /// What the server suggests.
    public let hint: String?
    /// The violated constraint's name. A distributed database appends a shard's number to it.
    public let constraint: String?
    /// The table that the error is about.
    public let table: String?
    /// Where in the script the error stands, in characters from 1, when the server says so.
    public let position: Int?
    /// The stack of functions in which it happened.
    public let context: String?

    /// The innermost function in which it happened, with its line: that part of the context quotes nothing that a person typed.
    var function: String? {
        context?.split(separator: "\n").first { $0.hasPrefix("PL/pgSQL function ") }.map { line in
            String(line.dropFirst("PL/pgSQL function ".count))
        }
    }

    /// An error put together by hand, for tests and for refusals before sending.
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
