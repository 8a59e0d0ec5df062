internal import Postgres

extension Command {
    static let session = Command(
        name: "session", usage: "end PID --reason TEXT",
        summary:
            """
            Ends a session of PostgreSQL that holds a transaction open, as admin.long_transactions lists them. With a \
            superuser's login it ends a superuser's session too, which admin.end_session cannot.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let reason = try arguments.option("reason")
        guard try arguments.positional("the subcommand: end") == "end" else {
            throw CommandError("session takes end", status: 64)
        }
        let text = try arguments.positional("the PID, which admin.long_transactions shows")
        try arguments.finish()
        guard let pid = Int32(text), pid > 0 else {
            throw CommandError("\(text) is no PID: admin.long_transactions shows it", status: 64)
        }
        guard let reason else {
            throw CommandError("session end takes --reason TEXT, which the audit keeps", status: 64)
        }
        let database = try Database(configuration)
        try Database.reporting {
            let session = try database.session()
            guard try session.query("select has_schema_privilege('internal', 'usage')").bool(0, 0) == true else {
                throw CommandError(
                    """
                    kith session end needs the owner's or a superuser's KITH_OWNER_DATABASE_URL; with this login: \
                    kith psql -c "select admin.end_session(\(pid), 'why')"
                    """, status: 78)
            }
            let ended = try session.query(
                "select internal.end_session_of($1::integer, $2)", [.int(Int(pid)), .text(reason)])
            print(ended.string(0, 0) ?? "")
        }
    }
}
