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
    /// After how many seconds without a heartbeat a worker counts as late.
    static let silent = 60
    private static let beat = "worker_beat_seconds"
    /// The members of the answer. Others of `api.readiness` are about the tenants' own affairs, and appear in the
    /// operator's metrics only.
    private static let members = [
        "oldest_run_seconds", "oldest_due_seconds", "oldest_miss_seconds", "oldest_break_seconds",
        "oldest_alarm_seconds", "oldest_unplanned_seconds", "oldest_delivery_seconds", "oldest_set_aside_seconds", beat,
        "partitions_ahead_days", "schema_version",
    ]

    private let pool: PostgresPool
    /// The ages of the worker's overdue work, and other facts about the database.
    let ages: SharedQuery
    /// The numbers of deliveries by channel and outcome.
    let deliveries: SharedQuery
    /// The numbers of requests for emergency access, and how late their people are told.
    let emergencies: SharedQuery
    /// The numbers of alarms, and how late people are told of them.
    let alarms: SharedQuery
    /// How the tenants' canaries are.
    let canaries: SharedQuery
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
        canaries = SharedQuery(pool: pool, statement: Self.canaryMetrics)
        retention = SharedQuery(pool: pool, statement: Self.retentionMetrics)
        setAside = SharedQuery(pool: pool, statement: Self.setAsideMetrics)
    }

    /// The response of `/readyz`: 200 with the ages, or the problem `unavailable` if the pool is not ready or the
    /// database does not answer.
    ///
    /// A lock on one table may keep the ages from being read. Every server then fails to read them, and check-ins may
    /// still work, so the ages are null and the answer stays 200: a proxy must not take all servers out.
    func response() async throws(Problem) -> HTTPResponse {
        guard pool.isReady else { throw Problem(.unavailable, "The database does not answer.") }
        let known = await ages.answer()
        guard known != nil || ages.isHeldUp else { throw Problem(.unavailable, "The database does not answer.") }
        var json = JSONWriter()
        json.object { json in
            json.field("status", "ready")
            json.field("worker", known.map { Self.isLate($0.root) ? "late" : "on time" } ?? "unknown")
            for name in Self.members {
                if let number = known?.root[name]?.integer {
                    json.field(name, number)
                } else {
                    json.field(name, json: "null".utf8)
                }
            }
        }
        return Answer.jsonResponse(.ok, json.bytes)
    }

    /// Whether work is overdue, or no worker has sent a heartbeat for a minute.
    private static func isLate(_ ages: JSONValue) -> Bool {
        members.contains { name in
            guard name != beat else { return (ages[name]?.integer ?? .max) > silent }
            return name.hasSuffix("_seconds") && (ages[name]?.integer ?? 0) > late
        }
    }

    private static let readiness = PostgresStatement(name: "readiness", sql: "select api.readiness($1::timestamptz)")
    private static let deliveryMetrics = PostgresStatement(
        name: "delivery_metrics", sql: "select api.delivery_metrics($1::timestamptz)")
    private static let emergencyMetrics = PostgresStatement(
        name: "emergency_metrics", sql: "select api.emergency_metrics($1::timestamptz)")
    private static let alarmMetrics = PostgresStatement(
        name: "alarm_metrics", sql: "select api.alarm_metrics($1::timestamptz)")
    private static let canaryMetrics = PostgresStatement(
        name: "canary_metrics", sql: "select api.canary_metrics($1::timestamptz)")
    private static let retentionMetrics = PostgresStatement(
        name: "retention_metrics", sql: "select api.retention_metrics($1::timestamptz)")
    private static let setAsideMetrics = PostgresStatement(
        name: "set_aside_metrics", sql: "select api.set_aside_metrics($1::timestamptz)")
}
