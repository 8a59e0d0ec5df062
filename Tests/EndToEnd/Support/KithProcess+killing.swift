import Glibc
import Postgres
import Testing

extension KithProcess {
    /// Kills the command when it reaches a table of the database in which `open` makes sessions, and waits until its
    /// session there has ended.
    func killWhenItReaches(_ table: String, _ open: () throws -> PostgresSession) throws {
        let (gate, watch) = (try open(), try open())
        try gate.execute("begin")
        try gate.execute("lock table kith.\(table)")
        let waiting =
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        while isRunning, try watch.query(waiting).rowCount == 0 { usleep(5000) }
        #expect(isRunning, "\(standardError)")
        signal(SIGKILL)
        wait()
        try gate.execute("commit")
        let moving =
            """
            select from pg_locks join pg_database on oid = database where locktype = 'advisory' and datname = \
            current_database()
            """
        while try watch.query(moving).rowCount > 0 { usleep(5000) }
    }
}
