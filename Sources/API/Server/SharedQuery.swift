internal import EventLoop
internal import Postgres

/// A question of the process to the database whose answer many want at once: it is asked by one of them, the others wait for the
/// same answer, and those who come a little later get it again.
///
/// Confined to the event loop's thread, by those who have it.
final class SharedQuery {
    /// How old an answer may be.
    static let life = Duration.seconds(2)

    private let pool: PostgresPool
    private let statement: PostgresStatement
    /// nil when the database could not be asked the last time.
    private var last: JSONDocument?
    private var askedAt: ContinuousClock.Instant?
    private var isAsking = false
    /// No more than there are requests, which the HTTP server bounds.
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// `statement` takes the time as its one parameter and gives JSON.
    init(pool: PostgresPool, statement: PostgresStatement) {
        self.pool = pool
        self.statement = statement
    }

    /// What the database says, or said at most ``life`` ago; nil when it cannot be asked.
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
        guard
            let result = try? await pool.query(
                statement, [.instant(pool.loop.clock.now)], lane: .upkeep, deadline: .seconds(1)),
            let bytes = result.bytes(0, 0)
        else { return nil }
        return try? JSONDocument(bytes)
    }
}
