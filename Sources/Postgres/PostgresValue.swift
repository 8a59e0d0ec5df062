/// A parameter of a statement. The server takes its type from the statement: `$1::uuid`, or a function's signature.
public enum PostgresValue: Sendable {
    /// Null.
    case null
    /// A text, or any value in its text form. A NUL in it is refused with SQLSTATE 22021 before anything is sent.
    case text(String)
    /// A text that already exists as UTF-8 bytes, such as a request body that goes to the server as `jsonb`. A NUL in
    /// it is refused in the same way.
    case bytes([UInt8])
    /// Any bytes, for a `bytea`. They are sent as they are.
    case bytea([UInt8])
    /// An integer of any width.
    case int(Int)
    /// A boolean.
    case bool(Bool)
    /// A `timestamptz`, in microseconds since 1970 UTC. It is sent in PostgreSQL's binary format, so that nothing is
    /// formatted or parsed.
    case instant(Int64)
}

extension PostgresValue: CustomStringConvertible {
    /// Never shows the value, because parameters are people's data and descriptions end up in logs.
    public var description: String {
        if case .null = self { "null" } else { "****" }
    }
}
