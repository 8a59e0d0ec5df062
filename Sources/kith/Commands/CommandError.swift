internal import Glibc
internal import Postgres
internal import Schema

/// Why a command ends early, in one line that says what to do.
struct CommandError: Error {
    let message: String
    /// The exit status: 64 for wrong usage (EX_USAGE of sysexits), 78 for a wrong configuration (EX_CONFIG), 1
    /// otherwise.
    let status: Int32

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }
}

/// Writes a line to standard error.
func standardError(_ line: String, terminator: String = "\n") {
    let text = line + terminator
    _ = text.withCString { write(2, $0, strlen($0)) }
}

extension CommandError {
    /// The message for a login that lacks a right: at a statement, or already at the connection, where libpq gives no
    /// code. Nil for another error.
    init?(missingRight error: any Error) {
        let cause: PostgresError
        switch error {
        case let error as PostgresError: cause = error
        case MigrationError.database(let error): cause = error
        default: return nil
        }
        let refusal: String
        switch cause {
        case .server(let error) where error.sqlState == .insufficientPrivilege: refusal = error.message
        case .unavailable(let reason):
            guard let text = reason.firstRange(of: "permission denied to set role") else { return nil }
            refusal = String(reason[text.lowerBound...])
        default: return nil
        }
        self.init(
            """
            your login may not do this (\(refusal)). Use a login that acts (kith operator list), or the owner's \
            KITH_OWNER_DATABASE_URL
            """)
    }
}
