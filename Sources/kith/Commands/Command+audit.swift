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
        let values = [value(tenant), value(since), value(action), .int(most), value(actor)]
        var acts: [Act] = []
        func read(_ database: Database, where condition: String) throws {
            let rows = try database.operate(sql(condition), values)
            acts += (0..<rows.rowCount).map { Act(rows, row: $0) }
        }
        /// A misspelled action must not look like one that nobody has done.
        func requireAction(_ database: Database) throws {
            guard let action, acts.isEmpty else { return }
            let rows = try database.operate(
                """
                select string_agg(distinct action, ', ' order by action), bool_or(action = $1)
                from (select action from admin.audit order by id desc limit 10000) as newest
                """, [.text(action)])
            guard rows.string(0, 1) != "t" else { return }
            throw CommandError("no act has the action \(action); there are: \(rows.string(0, 0) ?? "none")", status: 1)
        }
        // Shows what was found before it says that a cell does not answer.
        defer { show(acts.sorted { $0.at > $1.at }.prefix(most), json) }
        guard let tenant else {
            try database.inEveryCell { try read($0, where: "$1::text is null") }
            try requireAction(database)
            return warn(of: acts)
        }
        // The tenant's own acts, and those of the installation that name it, such as a move or a purge.
        let home = try database.home(of: tenant)
        try read(home, where: "tenant = $1")
        try read(database, where: "tenant is null and subject = $1")
        if acts.isEmpty { try requireTenant(tenant, home) }
        try requireAction(home)
        warn(of: acts)
    }

    /// Says that there are no acts. Nothing at all could also be a failure.
    private static func warn(of acts: [Act]) {
        if acts.isEmpty { standardError("kith: no act matches") }
    }

    private static func sql(_ condition: String) -> String {
        """
        select act.*, to_json(act)
        from (
          select tenant, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, actor, name, action, subject, before, \
            detail, request_id
          from admin.audit
          where \(condition)
            and ($2::timestamptz is null or at >= $2) and ($3::text is null or action = $3)
            and ($5::text is null or actor in ($5, 'operator:' || $5) or actor like 'key:%' and name = $5)
          order by id desc
          limit $4::integer
        ) as act
        """
    }

    /// An act of the audit.
    private struct Act {
        let at: String
        let json: String
        let lines: [String]

        init(_ rows: PostgresResult, row: Int) {
            func column(_ number: Int) -> String { rows.string(row, number) ?? "" }
            at = column(1)
            json = column(9)
            let who =
                column(3).isEmpty || column(2).hasSuffix(":\(column(3))") ? column(2) : "\(column(2)) (\(column(3)))"
            var lines = ["\(at) \(column(0).isEmpty ? "-" : column(0)) \(who) \(column(4)) \(column(5))"]
            if !column(6).isEmpty { lines.append("    before \(column(6))") }
            if column(7) != "{}" { lines.append("    \(column(6).isEmpty ? "" : "after  ")\(column(7))") }
            if !column(8).isEmpty {
                lines.append("    request \(column(8)); if it failed or was slow: kith logs explain \(column(8))")
            }
            self.lines = lines.map(PlainText.line)
        }
    }

    private static func show(_ acts: some Sequence<Act>, _ json: Bool) {
        for act in acts {
            for line in json ? [act.json] : act.lines { print(line) }
        }
    }
}
