internal import Crypto
internal import Foundation
internal import Postgres

extension Command {
    static let operators = Command(
        name: "operator", usage: "create NAME [--read-only] [--tenant SLUG] [--json] | list [--json] | end NAME",
        summary:
            """
            Makes, lists and ends the logins of people who operate Kith, in all cells: one for each person, so that \
            the audit names them; --read-only lets one read and do nothing else, --tenant shows one tenant alone.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let isReadOnly = arguments.flag("read-only")
        let tenant = try arguments.option("tenant")
        let verb = try arguments.positional("the subcommand: create, list or end")
        let database = try Database(configuration)
        switch verb {
        case "create":
            let name = try arguments.positional("the NAME of the login")
            try arguments.finish()
            try create(name, isReadOnly: isReadOnly, tenant: tenant, database, json)
        case "list":
            guard !isReadOnly, tenant == nil else { throw CommandError("operator list takes only --json", status: 64) }
            try arguments.finish()
            try show(database, "select * from admin.operators order by login", [], json)
        case "end":
            guard !isReadOnly, tenant == nil, !json else {
                throw CommandError("operator end takes only the NAME", status: 64)
            }
            let name = try arguments.positional("the NAME of the login")
            try arguments.finish()
            try end(name, database)
            print("ended \(name): its sessions are closed, and the name is not used again")
        default: throw CommandError("operator takes create, list or end", status: 64)
        }
    }

    private static func create(
        _ name: String, isReadOnly: Bool, tenant: String?, _ database: Database, _ json: Bool
    ) throws {
        let password = Hex.encode(randomBytes(20))
        let verifier = try scramVerifier(of: password)
        let home = try tenant.map(database.home)?.cellName
        // The tenant's cell is the first one, because only it knows the tenant.
        let cells = try database.sessionsInEveryCell().sorted { $0.cell.cellName == home && $1.cell.cellName != home }
        var logins = OperatorLogins()
        try Database.reporting {
            for (_, session) in cells { try session.execute("begin") }
            _ = try cells[0].session.query(
                "select internal.create_operator($1, $2, $3::boolean, $4, internal.operator(), now())",
                [
                    .text(name), .text(verifier), .text(isReadOnly ? "true" : "false"),
                    tenant.map(PostgresValue.text) ?? .null,
                ])
            try logins.made(in: cells[0].session)
            for (_, session) in cells.dropFirst() {
                try logins.copy(name, verifier: verifier, from: cells[0].session, to: session)
            }
            for (_, session) in cells { try session.execute("commit") }
        }
        guard !json else {
            let answer = ["login": name, "password": password]
            let data = try JSONSerialization.data(withJSONObject: answer, options: .sortedKeys)
            return print(String(decoding: data, as: UTF8.self))
        }
        print("login=\(name) password=\(password)")
        print(
            """
            The password is shown only here. \(name) puts both into KITH_OWNER_DATABASE_URL \
            (postgresql://\(name):PASSWORD@HOST/kith), and uses kith psql.
            """
        )
    }

    /// Ends a login in every cell that answers, even if it has ended in others already.
    private static func end(_ name: String, _ database: Database) throws {
        var hasEnded = false
        func end(in cell: Database) throws {
            try Database.reporting {
                _ = try cell.session().query(
                    "select internal.end_operator($1, internal.operator(), now())", [.text(name)])
            }
            hasEnded = true
        }
        try database.inEveryCell { cell in
            let live = try cell.session().query(
                "select from kith.operators where login = $1 and ended_at is null", [.text(name)])
            if live.rowCount > 0 { try end(in: cell) }
        }
        // It refuses a name that nobody has.
        if !hasEnded { try end(in: database) }
    }
}

/// The logins of operators in the databases of an installation: a role belongs to a cluster, which may have several
/// cells, and what it may see stands in each of them.
struct OperatorLogins {
    /// The clusters that have the roles.
    private var clusters: Set<String> = []

    /// Notes that the roles were made for the database of `session`.
    mutating func made(in session: PostgresSession) throws {
        clusters.insert(try Database.identity(session).cluster)
    }

    /// Lets an operator of one database work in another one, with the same password.
    mutating func copy(
        _ name: String, verifier: String, from source: PostgresSession, to target: PostgresSession
    ) throws {
        let cluster = try Database.identity(target).cluster
        let row = try source.query(
            "select is_read_only::text, only_tenant_id from kith.operators where login = $1", [.text(name)])
        _ = try target.query(
            "select internal.admit_operator($1, $2, $3::boolean, $4::integer, internal.operator(), now())",
            [
                .text(name), clusters.contains(cluster) ? .null : .text(verifier), .text(row.string(0, 0) ?? "true"),
                row.int(0, 1).map(PostgresValue.int) ?? .null,
            ])
    }

    /// Lets all operators of the directory work in a new cell.
    ///
    /// - Returns: Their logins.
    /// - Throws: `PostgresError`, also if `directory` may not read verifiers of passwords, which only a superuser may.
    static func copyAll(from directory: PostgresSession, to cell: PostgresSession) throws -> [String] {
        var logins = OperatorLogins()
        try logins.made(in: directory)
        let rows = try directory.query(
            """
            select operator.login, role.rolpassword from kith.operators as operator
            join pg_authid as role on role.rolname = operator.login where operator.ended_at is null order by operator.login
            """)
        try cell.execute("begin")
        let there = try cell.query("select login from kith.operators")
        let known = Set((0..<there.rowCount).compactMap { there.string($0, 0) })
        let names = try (0..<rows.rowCount).compactMap { row -> String? in
            guard let name = rows.string(row, 0), !known.contains(name) else { return nil }
            try logins.copy(name, verifier: rows.string(row, 1) ?? "", from: directory, to: cell)
            return name
        }
        try cell.execute("commit")
        return names
    }
}
