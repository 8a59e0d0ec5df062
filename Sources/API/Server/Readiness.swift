internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Reports whether this server can serve requests, and how late the worker is (G03).
///
/// Anybody may ask, as often as they like: the database is queried at most once per ``SharedQuery/life``.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class Readiness {
    /// After how many seconds overdue work counts as late.
    static let late = 300
    /// Members about the tenants' own affairs. They appear in the operator's metrics only.
    private static let confidential = ["undelivered_alarms", "failing_webhooks", "pings_not_made"]

    private let pool: PostgresPool
    /// The ages of the worker's overdue work, and other facts about the database.
    let ages: SharedQuery
    /// The numbers of deliveries by channel and outcome.
    let deliveries: SharedQuery
    /// The numbers of requests for emergency access, and how late their people are told.
    let emergencies: SharedQuery
    /// The numbers of alarms, and how late people are told of them.
    let alarms: SharedQuery
    /// How the worker keeps up with deleting what is old.
    let retention: SharedQuery
    /// How many rows each of the worker's loops has set aside.
    let setAside: SharedQuery

    init(pool: PostgresPool) {
        self.pool = pool
        ages = SharedQuery(pool: pool, statement: Self.readiness)
        deliveries = SharedQuery(pool: pool, statement: Self.deliveryMetrics)
        emergencies = SharedQuery(pool: pool, statement: Self.emergencyMetrics)
        alarms = SharedQuery(pool: pool, statement: Self.alarmMetrics)
        retention = SharedQuery(pool: pool, statement: Self.retentionMetrics)
        setAside = SharedQuery(pool: pool, statement: Self.setAsideMetrics)
    }

    /// The response of `/readyz`: 200 with the ages, or the problem `unavailable` if the pool is not ready or the
    /// database does not answer.
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
    private static let emergencyMetrics = PostgresStatement(
        name: "emergency_metrics", sql: "select api.emergency_metrics($1::timestamptz)")
    private static let alarmMetrics = PostgresStatement(
        name: "alarm_metrics", sql: "select api.alarm_metrics($1::timestamptz)")
    private static let retentionMetrics = PostgresStatement(
        name: "retention_metrics", sql: "select api.retention_metrics($1::timestamptz)")
    private static let setAsideMetrics = PostgresStatement(
        name: "set_aside_metrics", sql: "select api.set_aside_metrics($1::timestamptz)")
}
