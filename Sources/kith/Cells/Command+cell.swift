internal import Postgres
internal import Schema

extension Command {
    static let cell = Command(
        name: "cell",
        usage: "add NAME URL | list [--json] | open NAME | close NAME | remove NAME",
        summary:
            """
            Adds databases to the installation, each with tenants of its own, lists them, opens and closes them for \
            new tenants, and removes empty ones. URL has neither a user nor a password: programs log in there as in \
            the directory, the database of KITH_DATABASE_URL.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let verb = try arguments.positional("the subcommand: add, list, open, close or remove")
        guard !json || verb == "list" else { throw CommandError("cell \(verb) takes no --json", status: 64) }
        let database = try Database(configuration).directory
        switch verb {
        case "list":
            try arguments.finish()
            try show(database, "select * from admin.cells order by name", [], json)
        case "add":
            let name = try arguments.positional("the NAME of the cell")
            let url = try arguments.positional("the URL of its database, without user and password")
            try arguments.finish()
            try add(name, url, to: database)
        case "open", "close":
            let name = try arguments.positional("the NAME of the cell")
            try arguments.finish()
            _ = try database.operate(
                "select admin.open_cell($1, $2::boolean)", [.text(name), .text(verb == "open" ? "true" : "false")])
            print(verb == "open" ? "opened \(name)" : "closed \(name): its tenants stay, and it gets no new ones")
        case "remove":
            let name = try arguments.positional("the NAME of the cell")
            try arguments.finish()
            try remove(name, from: database)
        default: throw CommandError("cell takes add, list, open, close or remove", status: 64)
        }
    }

    /// Adds a cell. Both databases change, or neither: the directory commits once the cell has. A crash between the two
    /// leaves a cell that knows its directory, and adding it again goes on.
    private static func add(_ name: String, _ url: String, to directory: Database) throws {
        let address: PostgresAddress
        do throws(PostgresError) { address = try PostgresAddress(url) } catch {
            throw CommandError("\(error)", status: 64)
        }
        let cell = directory.at(Cell(name: name, address: address))
        try examine(cell, name)
        let (here, there) = (try directory.operatorSession(), try cell.operatorSession())
        let (own, its) = (try Database.identity(directory.session()), try Database.identity(cell.session()))
        try Database.reporting {
            try here.execute("begin")
            _ = try here.query(
                "select admin.add_cell($1, $2, $3, $4::bigint, $5)",
                [.text(name), .text(url), .text(its.cluster), .int(its.database), .text(Cell.directory)])
            _ = try there.query(
                "select admin.join_directory($1, $2, $3::bigint)",
                [.text(name), .text(own.cluster), .int(own.database)])
            try here.execute("commit")
        }
        print("added \(name): servers and workers use it within seconds, and kith tenant create may choose it")
        do { try OperatorLogins.sync(to: cell) } catch let error as CommandError {
            throw CommandError(
                "not every operator may work in it yet, so run kith operator sync then: \(error.message)", status: 75)
        }
    }

    /// Checks that a database can be a cell.
    ///
    /// - Throws: ``CommandError`` that says what is wrong with it.
    private static func examine(_ cell: Database, _ name: String) throws {
        let session: PostgresSession
        do { session = try cell.session() } catch let error as PostgresError {
            throw CommandError("the database of \(name) cannot be reached: \(error)")
        }
        guard try session.query("select to_regclass('internal.migrated_schemas')").string(0, 0) != nil else {
            throw CommandError(
                """
                the database of \(name) is no Kith: create its schema with kith migrate, and KITH_OWNER_DATABASE_URL \
                set to it
                """
            )
        }
        guard try Migrator.hasMigrated(session) else {
            throw CommandError(
                """
                the database of \(name) has the schema of another release: run kith migrate, with \
                KITH_OWNER_DATABASE_URL set to it
                """,
                status: 75)
        }
        guard try session.query("select pg_is_in_recovery()").bool(0, 0) == false else {
            throw CommandError(
                "the URL of \(name) leads to a standby: name all of its hosts, with target_session_attrs=read-write")
        }
        // An operator's machine may have neither of these URLs.
        for (role, url) in [("kith_api", try? cell.apiURL), ("kith_worker", try? cell.workerURL)] {
            guard let url else { continue }
            guard try Database.examine(as: role, at: url) != nil else {
                throw CommandError(
                    """
                    \(role) cannot log in to the database of \(name) as it does to the directory: it needs the same \
                    password
                    """
                )
            }
        }
    }

    private static func remove(_ name: String, from directory: Database) throws {
        let cells = try directory.cells()
        let here = try directory.operatorSession()
        try Database.reporting {
            try here.execute("begin")
            _ = try here.query("select admin.remove_cell($1)", [.text(name)])
            let there: PostgresSession
            do { there = try directory.at(name, of: cells).operatorSession() } catch let error as PostgresError {
                throw CommandError(
                    "the database of \(name) cannot be reached to see that it is empty: \(error)", status: 75)
            }
            _ = try there.query("select admin.leave_directory($1)", [.text(name)])
            try here.execute("commit")
        }
        print("removed \(name): its database stays, and belongs to no installation")
    }
}
