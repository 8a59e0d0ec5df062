internal import EventLoop
internal import Foundation
internal import Postgres

extension Database {
    /// The clock of a process on this database: the machine's, unless KITH_CLOCK_OFFSET sets another, or `instant`,
    /// which takes precedence. From `instant` it runs on, unless it `isStopped`.
    ///
    /// - Throws: ``CommandError`` for an invalid instant, and for a set clock on a database that `kith dev` did not
    ///   create. There it would report real people missing.
    func clock(at instant: String? = nil, isStopped: Bool = false, url: String) throws -> WallClock {
        guard let clock = try set(instant, isStopped: isStopped) else { return .machine }
        guard try Self.isOfDevelopment(PostgresSession(url: url)) else {
            let name = instant == nil ? "KITH_CLOCK_OFFSET" : "--now"
            throw CommandError(
                "\(name) works only on a database that kith dev made: here it would report real people missing")
        }
        return clock
    }

    /// Whether `kith dev` made the database.
    static func isOfDevelopment(_ session: PostgresSession) throws(PostgresError) -> Bool {
        // The query uses the catalogue, which every role may read.
        let made = try session.query(
            """
            select exists (
              select from pg_catalog.pg_class as class join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
              where namespace.nspname = 'internal' and class.relname = 'development'
            )
            """)
        return made.bool(0, 0) == true
    }

    private func set(_ instant: String?, isStopped: Bool) throws -> WallClock? {
        guard let instant else { return configuration.clockOffset.map { .ahead(by: Int64($0) * 1_000_000) } }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: instant.contains("."))
        guard let date = try? Date(instant, strategy: style) else {
            throw CommandError("--now must be an instant like 2026-11-21T09:00:00Z", status: 64)
        }
        let microseconds = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
        return isStopped ? .stopped(at: microseconds) : .starting(at: microseconds)
    }
}
