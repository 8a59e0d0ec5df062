internal import Crypto
internal import Foundation
internal import Postgres

extension Command {
    static let operators = Command(
        name: "operator", usage: "create NAME [--read-only] [--tenant SLUG] [--json] | list [--json] | end NAME | sync",
        summary:
            """
            Makes, lists and ends the logins of people who operate Kith, in all cells: one for each person, so that \
            the audit names them; --read-only lets one read and do nothing else, --tenant shows one tenant alone. sync gives the cells the \
            logins that they lack, and ends in them those that have ended.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let isReadOnly = arguments.flag("read-only")
        let tenant = try arguments.option("tenant")
        let verb = try arguments.positional("the subcommand: create, list, end or sync")
        guard configuration.cell == nil || verb == "list" else {
            throw CommandError("a login is of all cells, so kith operator \(verb) takes no --cell", status: 64)
        }
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
        case "sync":
            guard !isReadOnly, tenant == nil, !json else {
                throw CommandError("operator sync takes nothing", status: 64)
            }
            try arguments.finish()
            try database.inEveryCell { cell in
                guard cell.cellName != nil else { return }
                try OperatorLogins.sync(to: cell)
            }
        default: throw CommandError("operator takes create, list, end or sync", status: 64)
        }
    }

    private static func create(
        _ name: String, isReadOnly: Bool, tenant: String?, _ database: Database, _ json: Bool
    ) throws {
        let password = Hex.encode(randomBytes(20))
        let verifier = try scramVerifier(of: password)
        let failures = try OperatorLogins.create(name, verifier, isReadOnly: isReadOnly, tenant: tenant, database)
        defer {
            if !failures.isEmpty {
                standardError("kith: \(failures.joined(separator: "; ")): run kith operator sync")
            }
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
        try database.inEveryCell { cell in
            try Database.reporting {
                if try OperatorLogins.end(name, in: cell.session()) { hasEnded = true }
            }
        }
        guard !hasEnded else { return }
        // It refuses a name that nobody has.
        try Database.reporting {
            _ = try database.session().query(
                "select internal.end_operator($1, internal.operator(), now())", [.text(name)])
        }
    }
}
