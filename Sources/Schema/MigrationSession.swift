internal import Glibc
internal import Postgres

/// A session that applies files while servers and workers may be using the database.
struct MigrationSession {
    private let session: PostgresSession
    private let attempts: Int

    /// Creates one that tries a transaction `attempts` times while it does not get its locks.
    init(_ session: PostgresSession, attempts: Int) {
        self.session = session
        self.attempts = attempts
    }

    /// How long a statement waits for a lock. Whoever comes after it waits behind it, so it must be short compared with
    /// the two seconds that a request waits.
    private static let lockTimeout = "200ms"
    /// How often a transaction is usually tried: for about a minute.
    static let attempts = 150
    /// The pause between two tries, in microseconds.
    private static let pause: UInt32 = 200_000

    func execute(_ script: String) throws(MigrationError) {
        try run { () throws(PostgresError) in try session.execute(script) }
    }

    func query(_ sql: String, _ values: [PostgresValue] = []) throws(MigrationError) -> PostgresResult {
        try run { () throws(PostgresError) in try session.query(sql, values) }
    }

    /// Runs a file of `sql/`.
    ///
    /// - Throws: ``MigrationError/refused(file:line:_:)``.
    func apply(file: String, _ text: String) throws(MigrationError) {
        do throws(PostgresError) {
            try session.execute(text)
        } catch {
            guard case .server(let refusal) = error else { throw .database(error) }
            let line = refusal.position.map { position in text.prefix(position).count { $0 == "\n" } + 1 }
            throw .refused(file: file, line: line, refusal)
        }
    }

    /// Runs `body` in a transaction, as the owner unless told otherwise. Repeats it while another transaction holds a
    /// lock that it needs, or another database's migration interferes: roles and their settings belong to the cluster,
    /// and PostgreSQL refuses the second of two simultaneous changes with "tuple concurrently updated". No lock reaches
    /// across databases.
    ///
    /// - Throws: ``MigrationError/locked(step:)`` when a lock was not free for about a minute.
    func transaction(
        of step: String, asOwner: Bool = true, _ body: () throws(MigrationError) -> Void
    ) throws(MigrationError) {
        for attempt in 1... {
            do throws(MigrationError) {
                return try once(asOwner: asOwner, body)
            } catch {
                switch error.sqlState {
                case .lockNotAvailable, .deadlockDetected:
                    guard attempt < attempts else { throw .locked(step: step) }
                case .internalError:
                    guard attempt < attempts else { throw error }
                default: throw error
                }
                usleep(Self.pause)
            }
        }
    }

    private func once(asOwner: Bool, _ body: () throws(MigrationError) -> Void) throws(MigrationError) {
        try execute("begin; set local lock_timeout = '\(Self.lockTimeout)'")
        do throws(MigrationError) {
            if asOwner { try execute("set local role kith_owner") }
            try body()
            try execute("commit")
        } catch {
            try? session.execute("rollback")
            throw error
        }
    }

    private func run<Value>(_ body: () throws(PostgresError) -> Value) throws(MigrationError) -> Value {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw .database(error)
        }
    }
}
