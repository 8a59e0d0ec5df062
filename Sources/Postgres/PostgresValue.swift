/// One parameter of a statement. The server takes its type from the statement: `$1::uuid`, a function's signature.
public enum PostgresValue: Sendable {
    /// SQL's null.
    case null
    /// A text, or anything in its text form. A NUL in it is refused with SQLSTATE 22021 before anything is sent.
    case text(String)
    /// Text that is at hand as UTF-8 bytes, such as the body of a request that goes to the server as `jsonb`. The same
    /// holds for a NUL.
    case bytes([UInt8])
    /// Bytes of any value for a `bytea`, sent as they are.
    case bytea([UInt8])
    /// An integer of any width.
    case int(Int)
    /// A boolean.
    case bool(Bool)
    /// A `timestamptz`, in microseconds since 1970 UTC; sent in PostgreSQL's binary format, so that nothing is
    /// formatted or parsed.
    case instant(Int64)
}

extension PostgresValue: CustomStringConvertible {
    /// Never the value: parameters are people's data, and descriptions end in logs.
    public var description: String {
        if case .null = self { "null" } else { "****" }
    }
}
