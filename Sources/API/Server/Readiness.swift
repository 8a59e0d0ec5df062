internal import HTTP
internal import Postgres

/// Whether this server can serve, and how late the work of the worker is (G03): who watches the watcher.
struct Readiness {
    /// Past so many seconds something that should have been done is late, and somebody should look.
    static let late = 300

    let pool: PostgresPool

    /// What the database says of itself and the worker; nil when it cannot be asked.
    func ages() async -> JSONDocument? { await ask(Self.readiness) }

    /// What became of messages, by channel; nil when the database cannot be asked.
    func deliveries() async -> JSONDocument? { await ask(Self.deliveries) }

    private func ask(_ statement: PostgresStatement) async -> JSONDocument? {
        let now = PostgresValue.instant(WallClock.now)
        guard let result = try? await pool.query(statement, [now], lane: .upkeep, deadline: .seconds(1)),
            let bytes = result.bytes(0, 0)
        else { return nil }
        return try? JSONDocument(bytes)
    }

    /// The answer of `/readyz`: 200 with the ages, or the problem `unavailable` when the database cannot be asked, or not yet for
    /// everything.
    func response() async throws(Problem) -> HTTPResponse {
        guard pool.isReady, let ages = await ages() else {
            throw Problem(.unavailable, "The database does not answer.")
        }
        var json = JSONWriter()
        json.object { json in
            json.field("status", "ready")
            let late = ages.root.members.filter { $0.name.hasSuffix("_seconds") && ($0.value.integer ?? 0) > Self.late }
            json.field("worker", late.isEmpty ? "on time" : "late")
            for (name, value) in ages.root.members {
                if let number = value.integer { json.field(name, number) } else { json.field(name, json: "null".utf8) }
            }
        }
        return Answer.jsonResponse(.ok, json.bytes)
    }

    private static let readiness = PostgresStatement(name: "readiness", sql: "select api.readiness($1::timestamptz)")
    private static let deliveries = PostgresStatement(
        name: "delivery_metrics", sql: "select api.delivery_metrics($1::timestamptz)")
}
