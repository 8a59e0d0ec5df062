/// A message of the server besides its answer: a NOTICE or a WARNING.
public struct PostgresNotice: Sendable {
    /// The severity, in English: `NOTICE`, `WARNING`, `INFO` and so on.
    public let severity: String
    /// The code; `00000` for a plain notice.
    public let sqlState: SQLState
    /// The message. `raise notice` may quote anything in it.
    public let message: String
}
