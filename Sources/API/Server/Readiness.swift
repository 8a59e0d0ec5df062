internal import EventLoop
internal import HTTP
internal import Postgres

/// Whether this server can serve, and how late the work of the worker is (G03): who watches the watcher.
///
/// Anybody may ask, as often as they like: the database is asked once in ``SharedQuery/life``.
///
/// Confined to the event loop's thread: only the API server of that loop has it.
final class Readiness {
    /// Past so many seconds something that should have been done is late, and somebody should look.
    static let late = 300
    /// What says how the tenants' own affairs stand: for the operator's metrics, and nobody else.
    private static let confidential = ["undelivered_alarms", "failing_webhooks"]

    private let pool: PostgresPool
    /// What the database says of itself and the worker.
    let ages: SharedQuery
    /// What became of messages, by channel.
    let deliveries: SharedQuery

    init(pool: PostgresPool) {
        self.pool = pool
        ages = SharedQuery(pool: pool, statement: Self.readiness)
        deliveries = SharedQuery(pool: pool, statement: Self.deliveryMetrics)
    }

    /// The answer of `/readyz`: 200 with the ages, or the problem `unavailable` when the database cannot be asked, or not yet for
    /// everything.
    func response() async throws(Problem) -> HTTPResponse {
        guard pool.isReady, let ages = await ages.answer() else {
            throw Problem(.unavailable, "The database does not answer.")
        }
        var json = JSONWriter()
        json.object { json in
            json.field("status", "ready")
            let late = ages.root.members.filter { $0.name.hasSuffix("_seconds") && ($0.value.integer ?? 0) > Self.late }
            json.field("worker", late.isEmpty ? "on time" : "late")
            for (name, value) in ages.root.members where !Self.confidential.contains(name) {
                if let number = value.integer { json.field(name, number) } else { json.field(name, json: "null".utf8) }
            }
        }
        return Answer.jsonResponse(.ok, json.bytes)
    }

    private static let readiness = PostgresStatement(name: "readiness", sql: "select api.readiness($1::timestamptz)")
    private static let deliveryMetrics = PostgresStatement(
        name: "delivery_metrics", sql: "select api.delivery_metrics($1::timestamptz)")
}
