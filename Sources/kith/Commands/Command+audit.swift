internal import Postgres

extension Command {
    static let audit = Command(
        name: "audit", usage: "[TENANT] [--since INSTANT] [--action ACTION] [--actor NAME] [--limit N] [--json]",
        summary:
            """
            Shows who did what, the newest act first: of all tenants and the installation, or of one tenant, also a \
            purged one; at most N acts (50). --actor takes a login, a key's name or an actor.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let since = try arguments.option("since")
        let action = try arguments.option("action")
        let actor = try arguments.option("actor")
        let limit = try arguments.option("limit") ?? "50"
        let tenant = arguments.next()
        try arguments.finish()
        guard let most = Int(limit), (1...100_000).contains(most) else {
            throw CommandError("--limit \(limit) is not a number from 1 to 100000", status: 64)
        }
        let database = try Database(configuration)
        func value(_ text: String?) -> PostgresValue { text.map(PostgresValue.text) ?? .null }
        let sql = """
            select tenant, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, actor, name, action, subject, before, \
            detail, request_id
            from admin.audit
            where ($1::text is null or tenant = $1 or tenant is null and subject = $1)
              and ($2::timestamptz is null or at >= $2) and ($3::text is null or action = $3)
              and ($5::text is null or name = $5 or actor = $5)
            order by id desc
            limit $4::integer
            """
        let values = [value(tenant), value(since), value(action), .int(most), value(actor)]
        guard !json else { return try show(database, sql, values, true) }
        let rows = try database.operate(sql, values)
        // Of a tenant that was purged, the audit of the installation has the end.
        if let tenant, rows.rowCount == 0 { try requireTenant(tenant, database) }
        for row in 0..<rows.rowCount {
            func column(_ number: Int) -> String { rows.string(row, number) ?? "" }
            let who =
                column(3).isEmpty || column(2).hasSuffix(":\(column(3))") ? column(2) : "\(column(2)) (\(column(3)))"
            print(
                PlainText.line("\(column(1)) \(column(0).isEmpty ? "-" : column(0)) \(who) \(column(4)) \(column(5))"))
            if !column(6).isEmpty { print(PlainText.line("    before \(column(6))")) }
            if column(7) != "{}" { print(PlainText.line("    \(column(6).isEmpty ? "" : "after  ")\(column(7))")) }
            if !column(8).isEmpty { print(PlainText.line("    request \(column(8)): kith logs explain \(column(8))")) }
        }
    }
}
