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
        func sql(_ condition: String) -> String {
            """
            select tenant, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, actor, name, action, subject, before, \
            detail, request_id
            from admin.audit
            where \(condition)
              and ($2::timestamptz is null or at >= $2) and ($3::text is null or action = $3)
              and ($5::text is null or actor in ($5, 'operator:' || $5) or actor like 'key:%' and name = $5)
            order by id desc
            limit $4::integer
            """
        }
        let values = [value(tenant), value(since), value(action), .int(most), value(actor)]
        guard let tenant else {
            let all = sql("$1::text is null")
            return try json ? show(database, all, values, true) : show(database.operate(all, values))
        }
        // The tenant's own acts, and those of the installation that name it, such as a move or a purge.
        let (own, others) = (sql("tenant = $1"), sql("tenant is null and subject = $1"))
        let home = try database.home(of: tenant)
        let (acts, more) = (try home.operate(own, values), try database.operate(others, values))
        if acts.rowCount == 0, more.rowCount == 0 { try requireTenant(tenant, home) }
        guard !json else {
            try show(home, own, values, true)
            return try show(database, others, values, true)
        }
        show(acts)
        show(more)
    }

    /// Prints acts, the newest first.
    private static func show(_ rows: PostgresResult) {
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
