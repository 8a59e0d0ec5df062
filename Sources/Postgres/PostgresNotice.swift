/// Something that the server says besides its answer: a NOTICE, a WARNING.
public struct PostgresNotice: Sendable {
    /// `NOTICE`, `WARNING`, `INFO` and so on, in English.
    public let severity: String
    /// Its code; `00000` for a plain notice.
    public let sqlState: SQLState
    /// The message. `raise notice` may quote anything in it.
    public let message: String
}
