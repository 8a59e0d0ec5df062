import Foundation
import Postgres

/// Reads what the programs of an installation did in its database: from `pg_stat_statements`, and what they wrote from
/// the write-ahead log by `pg_walinspect`.
///
/// The extension counts each statement when its execution ends. A statement of a program (`toplevel`) counts the
/// buffers that the statements inside its procedures touched too, so the buffers are summed over those of programs
/// alone, and the executions over all. It counts all sessions together. So nothing else may run meanwhile: with a
/// test's clock a server runs nothing by itself, and the test stops the worker.
struct WorkMeter {
    /// The settings of a PostgreSQL whose work can be read.
    static let parameters = [
        "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all",
        "pg_stat_statements.track_utility": "off", "pg_stat_statements.save": "off",
        // What PostgreSQL does by itself would be counted too.
        "autovacuum": "off", "checkpoint_timeout": "1d", "max_wal_size": "64GB",
    ]

    private let session: PostgresSession

    init(_ installation: Installation) throws {
        session = try installation.session()
        try session.execute("create extension if not exists pg_stat_statements")
        try session.execute("create extension if not exists pg_walinspect")
    }

    /// What programs do while `body` runs.
    func work<Result>(of body: () async throws -> Result) async throws -> (result: Result, work: Work) {
        try settle()
        try session.execute("select pg_stat_statements_reset()")
        let start = try session.query("select pg_current_wal_insert_lsn()").string(0, 0) ?? ""
        let result = try await body()
        try settle()
        var work = try read()
        (work.rowsWritten, work.walBytes) = try readLog(from: start)
        return (result, work)
    }

    /// Waits until no program has a statement in progress: an answer can be complete before its statement has ended.
    private func settle() throws {
        let busy = """
            select count(*) from pg_stat_activity
            where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()
            """
        while try session.query(busy).int(0, 0) != 0 { usleep(200) }
    }

    private func read() throws -> Work {
        let sums = try session.query(
            """
            select coalesce(sum(shared_blks_hit + shared_blks_read) filter (where toplevel), 0)::bigint,
              coalesce(sum(calls), 0)::bigint
            from pg_stat_statements
            where not (toplevel and userid = current_user::regrole)
            """)
        return Work(buffers: sums.int(0, 0) ?? 0, statements: sums.int(0, 1) ?? 0)
    }

    /// The rows that were written since a position of the write-ahead log, and the bytes for them: without the pages
    /// that are written as a whole or split, and without what PostgreSQL cleans up when it happens to meet a page.
    private func readLog(from start: String) throws -> (rows: Int, bytes: Int) {
        // A transaction of its own, whose commit also lets the log of all others reach the file.
        try session.execute("select pg_logical_emit_message(true, 'meter', '')")
        let sums = try session.query(
            """
            with records as materialized (
              select resource_manager as kind, record_type as type, xid, record_length - fpi_length as bytes
              from pg_get_wal_records_info($1, pg_current_wal_flush_lsn())
            )
            select count(*) filter (where kind in ('Heap', 'Heap2') and type ~ 'INSERT|UPDATE|DELETE'),
              coalesce(sum(bytes), 0)::bigint
            from records
            where (
                kind in ('Heap', 'Heap2') and type not in ('PRUNE', 'VACUUM', 'VISIBLE', 'FREEZE_PAGE', 'INPLACE')
                or kind in ('Btree', 'Gin', 'Gist') and type ~ '^INSERT' and type <> 'INSERT_UPPER'
                or kind = 'Transaction'
              )
              and xid not in (select xid from records where kind = 'LogicalMessage')
            """, [.text(start)])
        return (sums.int(0, 0) ?? 0, sums.int(0, 1) ?? 0)
    }

    /// The statements that were counted, for the message of a failure.
    func statements() throws -> [String] {
        let rows = try session.query(
            """
            select format('%s × %s buffers, %s: %s', calls, shared_blks_hit + shared_blks_read,
              case when toplevel then 'program' else 'procedure' end, left(regexp_replace(query, '\\s+', ' ', 'g'), 150))
            from pg_stat_statements
            where not (toplevel and userid = current_user::regrole)
            order by shared_blks_hit + shared_blks_read desc
            limit 6
            """)
        return (0..<rows.rowCount).map { rows.string($0, 0) ?? "" }
    }
}
