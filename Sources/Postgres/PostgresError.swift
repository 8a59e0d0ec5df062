internal import CLibPQ

/// Why a statement gave no result.
public enum PostgresError: Error, Sendable {
    /// The server refused the statement, and its transaction was rolled back.
    indirect case server(PostgresServerError)
    /// There is no connection, the request got no room in time, or the connection was lost after the statement was
    /// sent. In the last case the statement may have run: nothing is ever sent twice.
    case unavailable(reason: String)
    /// No answer arrived within the deadline. The statement may have run, or may still run.
    case timedOut
    /// The configuration cannot be used. `reason` never repeats the connection string.
    case invalidConfiguration(reason: String)

    /// The server's code, if the server refused the statement.
    public var sqlState: SQLState? {
        guard case .server(let error) = self else { return nil }
        return error.sqlState
    }

    /// Whether the refusal may come from a migration that replaced a view, type or function while the statement ran:
    /// the session had looked it up before ("cache lookup failed", "cached plan must not change result type"). The
    /// same holds for a partition that was attached while the statement waited to insert into the default one
    /// (``PostgresServerError/isOfNewPartition``). The transaction was rolled back, and when it is repeated, it uses
    /// the new one.
    public var isOfReplacedObject: Bool {
        guard case .server(let error) = self else { return false }
        return error.sqlState == .internalError || error.sqlState == .featureNotSupported || error.isOfNewPartition
    }

    /// The waits before the statement is sent again, each after a refusal with ``isOfReplacedObject``. A session can
    /// see what a migration has committed some moments before it is told to forget what it looked up: on a busy machine
    /// the second try may meet the same.
    public static let waitsAfterReplacement: [Duration] = [.zero, .milliseconds(25), .milliseconds(125)]

    /// The server is not one that may answer. Only another connection can help.
    static var wrongServer: PostgresError { .unavailable(reason: wrongServerReason) }

    /// Whether it is ``wrongServer``.
    var isOfWrongServer: Bool {
        if case .unavailable(Self.wrongServerReason) = self { true } else { false }
    }

    private static let wrongServerReason = "the server is not a standby of the primary"

    /// The server's answer to a NUL in a text. It is made here because libpq would truncate the text at the NUL.
    static var nulInText: PostgresError {
        .server(
            PostgresServerError(
                sqlState: .characterNotInRepertoire, message: "invalid byte sequence for encoding \"UTF8\": 0x00"))
    }
}

extension PostgresError: CustomStringConvertible {
    /// The text for logs: the kind, the code and names from the schema. It never contains a message, a detail or a
    /// value, which may quote a person.
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
    /// Reads the error of a failed `PGresult`. libpq itself makes errors without a code, which mean that the connection
    /// is gone.
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
