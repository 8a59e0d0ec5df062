internal import CLibPQ

/// Why a statement gave no result.
public enum PostgresError: Error, Sendable {
    /// The server refused the statement; its transaction was rolled back.
    indirect case server(PostgresServerError)
    /// There is no connection, no room for the request in time, or the connection was lost while the statement was on
    /// its way. In the last case it may have run: nothing is ever sent twice.
    case unavailable(reason: String)
    /// No answer within the deadline. The statement may have run, or may run yet.
    case timedOut
    /// What the program was given cannot be used. `reason` never repeats the connection string.
    case invalidConfiguration(reason: String)

    /// The server's code, when it was the server that refused.
    public var sqlState: SQLState? {
        guard case .server(let error) = self else { return nil }
        return error.sqlState
    }

    /// What the server answers to a NUL in a text; said by us because libpq would cut the text there.
    static var nulInText: PostgresError {
        .server(
            PostgresServerError(
                sqlState: .characterNotInRepertoire, message: "invalid byte sequence for encoding \"UTF8\": 0x00"))
    }
}

extension PostgresError: CustomStringConvertible {
    /// For logs: kind, code and the schema's own names, never a message, a detail or a value, which may quote a person.
    public var description: String {
        switch self {
        case .server(let error):
            var text = "PostgreSQL refused the statement: \(error.sqlState)"
            if let constraint = error.constraint { text += ", constraint \(constraint)" }
            if let table = error.table { text += ", table \(table)" }
            if let function = error.function { text += ", in \(function)" }
            return text
        case .unavailable(let reason): return "PostgreSQL is unavailable: \(reason)"
        case .timedOut: return "PostgreSQL did not answer in time"
        case .invalidConfiguration(let reason): return "invalid database configuration: \(reason)"
        }
    }
}

extension PostgresError {
    /// The error that a failed `PGresult` carries. One without a code was made by libpq itself: the connection is gone.
    init(failed result: OpaquePointer) {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        guard let code = field(kith_field_sqlstate) else {
            self = .unavailable(reason: "the connection was lost")
            return
        }
        let state = SQLState(rawValue: code)
        guard !state.endsSession else {
            self = .unavailable(reason: "the server ended the session (\(state))")
            return
        }
        self = .server(
            PostgresServerError(
                sqlState: state, message: field(kith_field_message) ?? "", detail: field(kith_field_detail),
                hint: field(kith_field_hint), constraint: field(kith_field_constraint),
                table: field(kith_field_table), position: field(kith_field_position).flatMap { Int($0) },
                context: field(kith_field_context)))
    }
}
