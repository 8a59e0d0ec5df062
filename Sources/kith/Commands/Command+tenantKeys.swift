internal import Postgres

extension Command {
    /// Runs `kith tenant key …`: creates, lists, ends and rotates the secret keys of a tenant's server.
    static func key(_ arguments: inout Arguments, _ database: Database, name: String?, _ json: Bool) throws {
        let verb = try arguments.positional("the subcommand: key create, list, end or rotate")
        guard name == nil || verb == "create" else {
            throw CommandError("tenant key \(verb) takes no --name", status: 64)
        }
        let slug = try arguments.positional("the tenant's SLUG")
        let database = try database.home(of: slug)
        switch verb {
        case "create":
            let scopes = try arguments.option("scopes")
            let expires = try arguments.option("expires")
            guard let name else { throw CommandError("missing --name", status: 64) }
            try arguments.finish()
            try show(
                database,
                "select * from admin.create_api_key($1, $2, string_to_array($3, ','), $4::timestamptz)",
                [.text(slug), .text(name), .text(scopes ?? "all"), expires.map(PostgresValue.text) ?? .null], json)
        case "list":
            try arguments.finish()
            try requireTenant(slug, database)
            try show(
                database, "select * from admin.api_keys where tenant = $1 order by created_at, id", [.text(slug)], json)
        case "end":
            let reason = try arguments.option("reason")
            let key = try arguments.positional("the KEY's id")
            try arguments.finish()
            guard let reason else { throw CommandError("missing --reason", status: 64) }
            _ = try database.operate(
                "select admin.end_api_key($1, $2::uuid, $3)", [.text(slug), .text(key), .text(reason)])
            print("ended \(key) of \(slug)")
        case "rotate":
            let atOnce = arguments.flag("at-once")
            try arguments.finish()
            let sql = atOnce ? "select * from admin.rotate_api_key($1, '0')" : "select * from admin.rotate_api_key($1)"
            try show(database, sql, [.text(slug)], json)
        default: throw CommandError("tenant key takes create, list, end or rotate", status: 64)
        }
    }

    /// - Throws: ``CommandError`` if there is no such tenant.
    static func requireTenant(_ slug: String, _ database: Database) throws {
        guard try database.operate("select from admin.tenants where slug = $1", [.text(slug)]).rowCount == 1 else {
            throw CommandError("there is no tenant \(slug): kith tenant list shows them")
        }
    }
}
