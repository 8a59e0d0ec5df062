internal import EventLoop
internal import JSON
internal import Postgres

/// A query whose result many callers want. One of them runs it, those who ask meanwhile wait for the same result, and
/// those who ask soon after get it again.
///
/// Confined to the event loop's thread by its owners.
final class SharedQuery {
    /// The largest age of a result that is reused.
    static let life = Duration.seconds(2)

    private let pool: PostgresPool
    private let statement: PostgresStatement
    /// Nil if the last query failed.
    private var last: JSONDocument?
    /// Whether the last query failed although the database answers: it waited too long for a lock, or was cancelled.
    private(set) var isHeldUp = false
    private var askedAt: ContinuousClock.Instant?
    private var isAsking = false
    /// Its size is bounded by the HTTP server's limit on concurrent requests.
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// `statement` takes the current time as its only parameter and returns JSON.
    init(pool: PostgresPool, statement: PostgresStatement) {
        self.pool = pool
        self.statement = statement
    }

    /// The result, at most ``life`` old; nil if the query fails.
    func answer() async -> JSONDocument? {
        if isAsking {
            await withUnsafeContinuation { self.waiting.append($0) }
            return last
        }
        if let last, let askedAt, pool.loop.now - askedAt <= Self.life { return last }
        isAsking = true
        askedAt = pool.loop.now
        last = await ask()
        isAsking = false
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
        return last
    }

    private func ask() async -> JSONDocument? {
        isHeldUp = false
        do throws(PostgresError) {
            let result = try await pool.query(
                statement, [.instant(pool.loop.clock.now)], lane: .upkeep, deadline: .seconds(1))
            return result.bytes(0, 0).flatMap { try? JSONDocument($0) }
        } catch {
            isHeldUp = [.lockNotAvailable, .queryCancelled].contains(error.sqlState)
            return nil
        }
    }
}
