extension LimitChapter {
    static let tenants = LimitChapter(
        name: "tenants",
        limits: [
            Limit(
                "secret keys of one tenant", "{0} live ones; the last {1} that ended are kept",
                [
                    LimitReading("sql/tenants/internal.api_keys.sql", "select count\\(\\*\\) >= ([0-9]+) from"),
                    LimitReading("sql/tenants/internal.api_keys.sql", "offset ([0-9]+)\n"),
                ],
                "{quota_exceeded}", bounds: ["{0} live keys."]),
            Limit(
                "keys of one tenant's identity provider", "{0}",
                [LimitReading("sql/tenants/api.jwt_keys.sql", "select count\\(\\*\\) > ([0-9]+) from")],
                "{quota_exceeded}", bounds: ["{0} keys."]),
            Limit(
                "changes to one tenant's settings, keys, channels and webhooks", "{0} in a UTC day",
                [.act("administration")], "{too_many_requests}",
                bounds: ["{0} changes of the tenant's settings, keys, channels and webhooks per UTC day."]),
            Limit(
                "web origins of one tenant, and apps", "{0} each",
                [
                    LimitReading(
                        "Sources/API/Users/Endpoint+users.swift", "length: [0-9.]+\\), count: 0\\.\\.\\.([0-9]+)\\)")
                ],
                "{validation_failed}", refusedIn: refusals),
            Limit(
                "requests of one tenant", "{0} a second, {1} at once, on each server", rate("tenantLimit"),
                "{too_many_requests}", changedBy: [.variable("KITH_TENANT_LIMIT")], refusedIn: limiters),
            Limit(
                "database connections that one tenant's requests use",
                "{0}/{1} of each kind (reads, writes, check-ins, transactions, documents, slow) of each loop",
                [
                    LimitReading(lanes, "connections \\* ([0-9]+) / [0-9]+\\)"),
                    LimitReading(lanes, "connections \\* [0-9]+ / ([0-9]+)\\)"),
                ], "further requests wait"),
            Limit(
                "imports of one tenant with an `Idempotency-Key` at once, on one server",
                "{0}; {1} more wait for up to {2} s", limiter("imports"), "{too_many_requests}",
                refusedIn: "Sources/Requests/ConcurrencyLimiter.swift"),
            Limit(
                "one import of users, or of what an app has had",
                "{0} MiB and {1} lines, blank ones included, of {2} KiB each; {3} lines with an `Idempotency-Key`",
                [
                    LimitReading(lines, "maximumBody = ([0-9_ <]+)\n", unit: 1 << 20),
                    LimitReading(lines, "maximumLines = ([0-9_]+)\n"),
                    LimitReading(lines, "maximumLine = ([0-9_ <]+)\n", unit: 1024),
                    LimitReading(lines, "maximumLinesAtOnce = ([0-9_]+)\n"),
                ], "{payload_too_large}"),
            Limit(
                "tenants of one database that have a canary", "{0}",
                [LimitReading("sql/canaries/internal.canaries.sql", "  select ([0-9]+)\n\\$\\$")], "{quota_exceeded}",
                refusedIn: "sql/canaries/admin.canaries.sql"),
            Limit(
                "database connections of one operator's login", "{0}",
                [LimitReading("sql/operation/admin.operators.sql", "connection limit ([0-9]+)")],
                "PostgreSQL refuses further ones"),
        ])

    static let lanes = "Sources/Postgres/PostgresLaneSettings.swift"
    private static let lines = "Sources/API/Users/LineImport.swift"

    /// The limit, the length of the queue and the seconds in it of a `ConcurrencyLimiter`.
    static func limiter(_ name: String) -> [LimitReading] {
        [
            LimitReading(shared, "let \(name) = ConcurrencyLimiter\\(limit: ([0-9]+),"),
            LimitReading(shared, "let \(name) = ConcurrencyLimiter\\([^)]*queueLimit: ([0-9]+),"),
            LimitReading(shared, "let \(name) = ConcurrencyLimiter\\([^)]*timeout: \\.seconds\\(([0-9]+)\\)"),
        ]
    }
}
