public import Postgres

/// Why a database could not be brought to this program's schema. Each error says what to do.
public enum MigrationError: Error, CustomStringConvertible {
    /// The database was made by a Kith of before 1.0, which had another file in place of this one.
    case preRelease(name: String)
    /// The file of an applied migration was edited afterwards.
    case edited(name: String)
    /// The database has a migration that this program does not know.
    case newer(number: Int, known: Int)
    /// PostgreSQL refused a file. Nothing of that file was applied.
    case refused(file: String, line: Int?, PostgresServerError)
    /// Other transactions held a lock that a file or a step needs for about a minute. Nothing of it was applied.
    case locked(step: String)
    /// The database cannot be reached.
    case database(PostgresError)

    /// One line for the operator, with the remedy.
    public var description: String {
        switch self {
        case .preRelease(let name):
            """
            the database was made by a Kith of before 1.0, whose \(name) was another one, and cannot be migrated: make it \
            anew (dropdb, createdb, kith migrate; that of kith dev lies in .kith)
            """
        case .edited(let name):
            """
            sql/migrations/\(name) was edited after it had been applied here: restore the file, and put the change \
            into a new migration
            """
        case .newer(let number, let known):
            "the database has migration \(number), and this kith knows only \(known): run the newer kith"
        case .refused(let file, let line, let error):
            "sql/\(file)\(line.map { ":\($0)" } ?? ""): \(error.message) (\(error.sqlState))\(error.detail.map { "; \($0)" } ?? "")\(error.context.map { "; \($0)" } ?? "")"
        case .locked(let step):
            """
            \(step) waits for a lock that another transaction holds: look for it with select * from \
            admin.long_transactions order by began_at, end it with select admin.end_session(pid, 'why'), and run \
            kith migrate again
            """
        case .database(let error): "\(error)"
        }
    }

    /// What PostgreSQL refused, if it did.
    var sqlState: SQLState? {
        switch self {
        case .refused(_, _, let error): error.sqlState
        case .database(.server(let error)): error.sqlState
        default: nil
        }
    }
}
