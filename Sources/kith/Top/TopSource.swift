internal import Delivery
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres

/// Where `kith top` gets its numbers from: the database, and a server's metrics.
///
/// `@unchecked Sendable`: it is used only on the loop's thread, by its one task.
final class TopSource: @unchecked Sendable {
    private let session: PostgresSession
    private let transfers: Transfers
    /// The URL of the metrics.
    let metrics: String

    /// `loop` does nothing else, so a query may block it.
    init(loop: EventLoop, session: PostgresSession, metrics: ListenAddress) throws {
        self.session = session
        self.metrics = "http://\(metrics)/metrics"
        transfers = Transfers(loop: loop, rules: OutboundRules())
        try session.execute("set statement_timeout = '10s'; set lock_timeout = '1s'")
    }

    /// Takes a sample.
    ///
    /// - Throws: ``CommandError`` when the database does not answer, or has another schema.
    func sample() async throws -> TopScreen.Sample {
        let figures = await requests()
        do {
            let json = try session.query("select admin.overview()").bytes(0, 0) ?? []
            return TopScreen.Sample(
                overview: try JSONDocument(json).root, locks: try locks(), busiest: try busiest(), cells: cells(),
                requests: figures, at: .now)
        } catch PostgresError.server(let refusal)
            where refusal.sqlState == .lockNotAvailable || refusal.sqlState == .queryCancelled
        {
            return TopScreen.Sample(
                overview: nil, locks: (try? locks()) ?? [], holders: holders(), requests: figures, at: .now)
        } catch PostgresError.server(let refusal)
            where refusal.sqlState == .undefinedFunction || refusal.sqlState.rawValue == "3F000"
        {
            throw CommandError("the database has no schema of this version: run kith migrate")
        } catch PostgresError.server(let refusal) where refusal.message == "forbidden" {
            let tenant = (try? session.query("select slug from admin.tenants").string(0, 0)) ?? nil
            throw CommandError(
                """
                this login sees the tenant \(tenant ?? "that is gone") alone; kith top needs one that sees the whole \
                installation
                """)
        } catch {
            throw CommandError("the database does not answer: \(error)")
        }
    }

    /// Sessions that wait for a lock, those that have waited longest first.
    private func locks() throws(PostgresError) -> [(program: String, seconds: Int, waitsFor: String)] {
        let rows = try session.query(
            """
            select waiting.application_name, floor(extract(epoch from clock_timestamp() - waiting.state_change))::integer,
              format('%s (process %s, %s)', blocking.application_name, blocking.pid, blocking.state)
            from pg_catalog.pg_stat_activity as waiting
            cross join lateral unnest(pg_catalog.pg_blocking_pids(waiting.pid)) as blocker (pid)
            join pg_catalog.pg_stat_activity as blocking on blocking.pid = blocker.pid
            where waiting.wait_event_type = 'Lock' and waiting.datname = current_database()
            order by waiting.state_change
            limit 3
            """)
        return (0..<rows.rowCount).map {
            (rows.string($0, 0) ?? "", rows.int($0, 1) ?? 0, rows.string($0, 2) ?? "")
        }
    }

    /// The sessions that have locked tables against readers or writers, each with what ends it.
    private func holders() -> [(what: String, remedy: String)] {
        let rows = try? session.query(
            """
            select concat_ws(', ', format('process %s of %s', holder.pid, holder.usename), nullif(holder.application_name, ''), holder.state)
                || ' locks ' || string_agg(distinct held.relation::regclass::text, ', '),
              format('select admin.end_session(%s, ''why''); a superuser''s: kith session end %1$s --reason ''why''', holder.pid)
            from pg_catalog.pg_locks as held
            join pg_catalog.pg_stat_activity as holder on holder.pid = held.pid
            join pg_catalog.pg_class as locked on locked.oid = held.relation and locked.relkind in ('r', 'p')
            where held.granted and held.locktype = 'relation' and locked.relnamespace = 'kith'::regnamespace
              and held.database = (select oid from pg_catalog.pg_database where datname = current_database())
              and held.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
            group by holder.pid, holder.usename, holder.application_name, holder.state, holder.xact_start
            order by holder.xact_start
            limit 5
            """)
        guard let rows else { return [] }
        return (0..<rows.rowCount).map { (rows.string($0, 0) ?? "", rows.string($0, 1) ?? "") }
    }

    /// The name of this database's cell and those of the others; empty with one database. A cell that is not the
    /// directory does not know the others.
    private func cells() -> [String] {
        let rows = try? session.query("select name from admin.cells order by address <> 'the directory', name")
        guard let rows else { return [] }
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    /// The callers with the most requests since the beginning of the last full hour.
    private func busiest() throws(PostgresError) -> [TopScreen.Busy] {
        let rows = try session.query(
            """
            select tenant, caller, requests, refused, faults, times_before::text from admin.busiest(now() - interval '1 hour')
            order by requests desc limit 5
            """)
        return (0..<rows.rowCount).map {
            TopScreen.Busy(
                tenant: rows.string($0, 0) ?? "", caller: rows.string($0, 1) ?? "", requests: rows.int($0, 2) ?? 0,
                refused: rows.int($0, 3) ?? 0, faults: rows.int($0, 4) ?? 0, timesBefore: rows.string($0, 5))
        }
    }

    private func requests() async -> RequestFigures? {
        let transfer = Transfer(
            url: metrics, method: "GET", timeout: .seconds(2), connectTimeout: .seconds(1), maximumAnswer: 4 << 20,
            isTrusted: true)
        guard let answer = try? await transfers.perform(transfer), answer.status == 200 else { return nil }
        return RequestFigures(text: String(decoding: answer.body, as: UTF8.self))
    }
}
