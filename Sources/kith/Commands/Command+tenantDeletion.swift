internal import JSON
internal import Postgres

extension Command {
    /// `tenant suspend` and `resume`.
    static func suspend(_ verb: String, _ arguments: inout Arguments, _ database: Database) throws {
        let slug = try arguments.positional("the tenant's SLUG")
        let database = try database.home(of: slug)
        guard verb == "suspend" else {
            try arguments.finish()
            _ = try database.operate("select admin.resume_tenant($1)", [.text(slug)])
            return print("resumed \(slug)")
        }
        guard let reason = try arguments.option("reason") else { throw CommandError("missing --reason", status: 64) }
        try arguments.finish()
        _ = try database.operate("select admin.suspend_tenant($1, $2)", [.text(slug), .text(reason)])
        print(
            """
            suspended \(slug): within a minute its calls are refused, but not those that keep people safe; kith \
            tenant resume \(slug) ends it
            """
        )
    }

    /// `tenant delete`, `restore` and `purge`.
    static func end(_ verb: String, _ arguments: inout Arguments, _ database: Database, _ json: Bool) throws {
        let slug = try arguments.positional("the tenant's SLUG")
        let database = try database.home(of: slug)
        guard verb == "purge" else {
            guard let reason = try arguments.option("reason") else {
                throw CommandError("missing --reason", status: 64)
            }
            try arguments.finish()
            _ = try database.operate("select admin.\(verb)_tenant($1, $2)", [.text(slug), .text(reason)])
            return print(
                verb == "delete"
                    ? "deleted \(slug): kith tenant restore brings it back, kith tenant purge deletes its data"
                    : "restored \(slug); it is suspended until: kith tenant resume \(slug)")
        }
        guard let confirmation = try arguments.option("confirm") else {
            throw CommandError("missing --confirm \(slug): what is purged is gone for good", status: 64)
        }
        try arguments.finish()
        try TenantPurge(of: slug, confirmation, database).run(json)
    }
}

/// Deletes all data of a deleted tenant, in batches that no other statement feels. A purge that was interrupted goes on
/// where it stopped.
private struct TenantPurge {
    /// The most rows of a batch, which is one transaction.
    private static let batch = 2000

    let slug: String
    let confirmation: String
    let database: Database

    init(of slug: String, _ confirmation: String, _ database: Database) {
        self.slug = slug
        self.confirmation = confirmation
        self.database = database
    }

    func run(_ json: Bool) throws {
        // A purge that was interrupted at its very end has left the tenant in the map alone.
        if let tenant = try database.placedButGone(slug) {
            try database.unplace(tenant)
            return print("purged \(slug): it was in the map alone")
        }
        let begun = try answer("select admin.begin_purge($1, $2)", [.text(slug), .text(confirmation)])
        guard let tenant = begun["tenant_id"]?.integer else { throw CommandError("admin.begin_purge gave no tenant") }
        var progress = Progress(of: begun["rows"]?.integer ?? 0, doing: "purging \(slug)")
        while true {
            let step = try answer(
                "select admin.purge_tenant($1::integer, $2::integer)", [.int(tenant), .int(Self.batch)])
            progress.add(rows: step["deleted"]?.integer ?? 0)
            guard step["is_done"]?.boolean == true else { continue }
            progress.end()
            try database.unplace(tenant)
            let tables = step["tables"]?.integer ?? 0
            print(
                json
                    ? #"{"tenant_id": \#(tenant), "rows": \#(progress.rows), "tables": \#(tables)}"#
                    : "purged \(slug): \(progress.rows) rows; no table names it any more")
            return
        }
    }

    private func answer(_ sql: String, _ values: [PostgresValue]) throws -> JSONValue {
        try JSONDocument(database.operate(sql, values).bytes(0, 0) ?? []).root
    }
}
