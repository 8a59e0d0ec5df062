/// A PostgreSQL error code of five characters (PostgreSQL manual, appendix A).
///
/// An open set: the server, and procedures that raise their own codes, may send codes that are not named here.
public struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The five characters, for example `23505`.
    public let rawValue: String

    /// Wraps any code, without checks.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code itself.
    public var description: String { rawValue }

    /// Whether the code begins with `prefix`. Two characters name a class (`23`: constraint violations).
    public func isInClass(_ prefix: String) -> Bool {
        rawValue.hasPrefix(prefix)
    }
}

extension SQLState {
    /// 0A000. Also "cached plan must not change result type", when a migration changed a table under a prepared
    /// statement.
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    /// 22021: bytes that are not valid in the database's encoding, such as a NUL.
    public static let characterNotInRepertoire = SQLState(rawValue: "22021")
    /// 22P02: a text that cannot be parsed as its type, such as JSON or uuid.
    public static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    /// 23505: a second row with the same unique key.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23514: a violated CHECK constraint.
    public static let checkViolation = SQLState(rawValue: "23514")
    /// 25006: a write in a read-only transaction, as on a standby.
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
    /// 26000: a prepared statement that this connection does not have.
    public static let invalidStatementName = SQLState(rawValue: "26000")
    /// 40001: a transaction that must be retried.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: a transaction that was aborted to break a deadlock.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 42501: a privilege that the role lacks, or a row that a policy refuses.
    public static let insufficientPrivilege = SQLState(rawValue: "42501")
    /// 42P01: a table that does not exist.
    public static let undefinedTable = SQLState(rawValue: "42P01")
    /// 42883: a function that does not exist.
    public static let undefinedFunction = SQLState(rawValue: "42883")
    /// 54001: a statement, or a JSON text, that is nested too deeply.
    public static let statementTooComplex = SQLState(rawValue: "54001")
    /// 55P03: a lock that was not free in time (`lock_timeout`).
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 57014: a statement that was cancelled, by `statement_timeout` or by another session.
    public static let queryCancelled = SQLState(rawValue: "57014")
    /// 57P01: the server ends the session because it shuts down or an operator asked for it.
    public static let adminShutdown = SQLState(rawValue: "57P01")
    /// 57P02: another backend crashed, and the server restarts.
    public static let crashShutdown = SQLState(rawValue: "57P02")
    /// 57P03: the server is starting or stopping.
    public static let cannotConnectNow = SQLState(rawValue: "57P03")
    /// XX000: an internal error, such as the use of a type that was dropped after the session had looked it up.
    public static let internalError = SQLState(rawValue: "XX000")

    /// Whether the code means that the session is over, rather than that a statement was wrong.
    var endsSession: Bool {
        self == .adminShutdown || self == .crashShutdown || self == .cannotConnectNow
    }
}
