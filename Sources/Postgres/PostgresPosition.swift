/// How far the primary had written its log at some instant: everything acknowledged before then is in it.
struct PostgresPosition: Sendable {
    /// The end of the log, the timeline, the system identifier, the database, the role and the clock, in the texts of
    /// the server.
    private let values: [PostgresValue]

    /// The primary's question. It fails on a standby, and has no answer if commits are acknowledged before they are in
    /// the log.
    static let statement = PostgresStatement(
        name: "position",
        sql: """
            select pg_current_wal_flush_lsn()::text, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), \
            (select system_identifier from pg_control_system())::text, \
            (select oid from pg_database where datname = current_database())::text, current_user::text, \
            clock_timestamp()::text where current_setting('synchronous_commit') <> 'off'
            """)

    /// Whether a standby has replayed the log up to a position of its own primary. It waits up to 10 ms for that. Null
    /// if the server is no standby of that primary, or the session has another database or role.
    ///
    /// - With an isolation above `read committed`, the statement would see what was there before the wait.
    /// - A standby that received more of the log than a newly promoted one would seem to be ahead of it, and lack
    ///   what is new there. So the timeline counts too: that of its last restart point, which it cannot be ahead of.
    /// - The rules compare with the clock of the server they run on, so the two clocks must agree.
    private static let isReplayed = PostgresStatement(
        name: "is_replayed",
        sql: """
            select case when pg_is_in_recovery() and current_user = $5::text \
            and (select system_identifier from pg_control_system()) = $3::bigint \
            and (select oid from pg_database where datname = current_database()) = $4::oid \
            then current_setting('transaction_isolation') = 'read committed' \
            and (select lpad(upper(to_hex(timeline_id)), 8, '0') from pg_control_checkpoint()) = $2::text \
            and abs(extract(epoch from clock_timestamp() - $6::timestamptz)) < 1 \
            and (pg_last_wal_replay_lsn() >= $1::pg_lsn or exists (select from generate_series(1, 10) \
            where case when pg_last_wal_replay_lsn() >= $1::pg_lsn then true else pg_sleep(0.001) is null end)) end
            """)

    /// The position in the answer to ``statement``; nil if there is none.
    init?(_ answer: PostgresResult) {
        guard answer.rowCount == 1 else { return nil }
        values = (0..<6).map { answer.string(0, $0).map(PostgresValue.text) ?? .null }
    }

    /// That a server is a standby which has replayed the log up to this position.
    var isReplayed: PostgresCondition { PostgresCondition(statement: Self.isReplayed, parameters: values) }
}
