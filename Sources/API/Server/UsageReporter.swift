internal import EventLoop
internal import Logging
internal import Postgres

/// Adds what the loops of a server have answered to the database's counts by hour, once a minute and when the server
/// stops. A count whose report fails is reported with the next one. What a crash loses is at most a minute.
///
/// `@unchecked Sendable`: `unreported` is used on the first server's loop alone, by one task at a time: the one that
/// reports each minute, and, when that one has ended, the one that drains the server.
final class UsageReporter: @unchecked Sendable {
    static let interval = Duration.seconds(60)

    private let servers: [APIServer]
    private let pool: PostgresPool
    private var unreported = Usage()

    /// `pool` is that of the first server.
    init(_ servers: [APIServer], pool: PostgresPool) {
        self.servers = servers
        self.pool = pool
    }

    /// Reports until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await pool.loop.sleep(for: Self.interval)
            if !Task.isCancelled { await report() }
        }
    }

    /// Reports what has been counted since the last time.
    func report() async {
        for server in servers {
            unreported += await withTaskExecutorPreference(server.loop) { server.takeUsage() }
        }
        guard !unreported.isEmpty else { return }
        let reported = unreported
        do throws(PostgresError) {
            _ = try await pool.query(
                Self.record, [.bytes(reported.json), .instant(pool.loop.clock.now)], lane: .upkeep)
            unreported = Usage()
        } catch {
            Log.warning("the counts of requests cannot be recorded, and are reported with the next ones: \(error)")
        }
    }

    private static let record = PostgresStatement(
        name: "record_usage", sql: "select api.record_usage($1::jsonb, $2::timestamptz)")
}
