import Postgres

extension Installation {
    /// Whether the database's log has recorded a deadlock.
    func hasSeenDeadlock() throws -> Bool {
        let log = try session().query(
            "select pg_read_file(current_setting('data_directory') || '/../postgres.log')")
        return log.string(0, 0)?.contains("deadlock detected") != false
    }
}
