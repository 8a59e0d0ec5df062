/// The five characters by which PostgreSQL says what kind of error it met (PostgreSQL manual, appendix A).
///
/// An open set: the server, and procedures that raise codes of their own, may send others than those named here.
public struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The five characters, for example `23505`.
    public let rawValue: String

    /// Wraps any code; nothing is checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code itself.
    public var description: String { rawValue }

    /// Whether the code begins with `prefix`: two characters name a class (`23`, constraint violations).
    public func isInClass(_ prefix: String) -> Bool {
        rawValue.hasPrefix(prefix)
    }
}

extension SQLState {
    /// 0A000; also "cached plan must not change result type", after a migration under a prepared statement.
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    /// 22021, bytes that are not text in the database's encoding; a NUL among them.
    public static let characterNotInRepertoire = SQLState(rawValue: "22021")
    /// 22P02, a text that does not read as its type (JSON and uuid among them).
    public static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    /// 23503, a foreign key without its row.
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// 23505, a second row under a unique key.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23514, a CHECK constraint that does not hold.
    public static let checkViolation = SQLState(rawValue: "23514")
    /// 25006, a write where only reading is possible: a standby.
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
    /// 26000, a prepared statement that this connection does not know.
    public static let invalidStatementName = SQLState(rawValue: "26000")
    /// 40001, a transaction to be run again.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01, a transaction that was chosen to break a deadlock.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 42501, a right that the role lacks; also a row that a policy refuses.
    public static let insufficientPrivilege = SQLState(rawValue: "42501")
    /// 42P01, a table that does not exist.
    public static let undefinedTable = SQLState(rawValue: "42P01")
    /// 42883, a function that does not exist.
    public static let undefinedFunction = SQLState(rawValue: "42883")
    /// 54001, a statement (or a JSON text) nested too deeply.
    public static let statementTooComplex = SQLState(rawValue: "54001")
    /// 55P03, a lock that was not free in time (`lock_timeout`).
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 57014, a statement that was cancelled, by `statement_timeout` or by another session.
    public static let queryCancelled = SQLState(rawValue: "57014")
    /// 57P01, the server ends this session: it shuts down, or an operator said so.
    public static let adminShutdown = SQLState(rawValue: "57P01")
    /// 57P02, another backend crashed and the server restarts.
    public static let crashShutdown = SQLState(rawValue: "57P02")
    /// 57P03, the server is starting or stopping.
    public static let cannotConnectNow = SQLState(rawValue: "57P03")

    /// Whether the code says that the session is over, rather than that a statement was wrong.
    var endsSession: Bool {
        self == .adminShutdown || self == .crashShutdown || self == .cannotConnectNow
    }
}
