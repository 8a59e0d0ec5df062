internal import Foundation
internal import JSON
internal import Postgres

extension Command {
    static let tenant = Command(
        name: "tenant",
        usage:
            "create SLUG --name N [--json] | list [--json] | set SLUG NAME=VALUE… | "
            + "suspend SLUG --reason R | resume SLUG | delete SLUG --reason R | restore SLUG --reason R | purge SLUG --confirm SLUG [--json] | "
            + "export SLUG FOLDER --key FILE [--live] | import FOLDER --key FILE | "
            + "move SLUG --to CELL [--source ADDRESS] | move SLUG --abort | "
            + "key create SLUG --name N [--scopes S,…] [--expires INSTANT] [--json] | key list SLUG [--json] | "
            + "key end SLUG KEY --reason R | key rotate SLUG [--at-once] [--json] | "
            + "channel set SLUG CHANNEL FILE | channel list SLUG [--json] | channel remove SLUG CHANNEL | "
            + "channel test SLUG CHANNEL ADDRESS [--environment sandbox] | "
            + "texts set SLUG LOCALE FILE | texts list SLUG [--json] | texts reset SLUG LOCALE",
        summary:
            """
            Creates, lists, suspends and deletes tenants, purges the data of deleted ones, moves tenants to other \
            installations and between cells, changes their settings, makes, ends and rotates their secret keys \
            (scopes: users, tokens, settings, webhooks, alarms, read, all), sets their messages' providers, and \
            replaces texts by their own words (FILE is JSON; - is standard input).
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let name = try arguments.option("name")
        let verb = try arguments.positional(
            """
            the subcommand: create, list, set, suspend, resume, delete, restore, purge, export, import, move, key, \
            channel or texts
            """
        )
        let database = try Database(configuration)
        switch verb {
        case "create":
            let slug = try arguments.positional("the new tenant's SLUG")
            guard let name else { throw CommandError("missing --name", status: 64) }
            try arguments.finish()
            try create(slug, named: name, database, json)
        case "list":
            try arguments.finish()
            let several = try database.everyCell().count > 1
            try database.inEveryCell { cell in
                let name = several ? "$1::text as cell, " : ""
                try show(
                    cell, "select \(name)tenant.* from admin.tenants as tenant order by slug",
                    several ? [.text(cell.cellName ?? Cell.directory)] : [], json)
            }
        case "set":
            let slug = try arguments.positional("the tenant's SLUG")
            let settings = try settings(arguments.remaining())
            _ = try database.home(of: slug).operate(
                "select admin.set_tenant($1, $2::jsonb)", [.text(slug), .text(settings)])
            print("changed \(slug)")
        case "suspend", "resume": try suspend(verb, &arguments, database)
        case "delete", "restore", "purge": try end(verb, &arguments, database, json)
        case "export", "import": try move(verb, &arguments, database, configuration)
        case "move": try relocate(&arguments, database, configuration)
        case "key": try key(&arguments, database, name: name, json)
        case "channel": try channel(&arguments, database, configuration, json)
        case "texts": try texts(&arguments, database, json)
        default:
            throw CommandError(
                """
                tenant takes create, list, set, suspend, resume, delete, restore, purge, export, import, move, key, \
                channel or texts
                """,
                status: 64)
        }
    }

    private static func texts(_ arguments: inout Arguments, _ database: Database, _ json: Bool) throws {
        let verb = try arguments.positional("the subcommand: texts set, list or reset")
        let slug = try arguments.positional("the tenant's SLUG")
        let database = try database.home(of: slug)
        func set(_ locale: String, _ texts: [UInt8]) throws -> Int {
            let sql = "select admin.set_tenant_texts($1, $2, $3::jsonb)"
            return try database.operate(sql, [.text(slug), .text(locale), .bytes(texts)]).int(0, 0) ?? 0
        }
        switch verb {
        case "set":
            let locale = try arguments.positional("the LOCALE, such as de")
            let path = try arguments.positional("the FILE")
            try arguments.finish()
            print("replaced \(try set(locale, read(path))) texts of \(slug) in \(locale)")
        case "list":
            try arguments.finish()
            try requireTenant(slug, database)
            let sql =
                "select locale, key, text, updated_at from admin.tenant_texts where tenant = $1 order by locale, key"
            try show(database, sql, [.text(slug)], json)
        case "reset":
            let locale = try arguments.positional("the LOCALE, such as de")
            try arguments.finish()
            _ = try set(locale, Array("{}".utf8))
            print("\(slug) has no texts of its own in \(locale)")
        default: throw CommandError("tenant texts takes set, list or reset", status: 64)
        }
    }

    private static func channel(
        _ arguments: inout Arguments, _ database: Database, _ configuration: Configuration, _ json: Bool
    ) throws {
        let environment = try arguments.option("environment")
        guard environment.map({ ["production", "sandbox"].contains($0) }) ?? true else {
            throw CommandError("--environment must be production or sandbox", status: 64)
        }
        let verb = try arguments.positional("the subcommand: channel set, list, remove or test")
        let slug = try arguments.positional("the tenant's SLUG")
        let database = try database.home(of: slug)
        func channel() throws -> TenantChannel {
            try TenantChannel(slug, arguments.positional("the CHANNEL"), database, configuration)
        }
        switch verb {
        case "set":
            let channel = try channel()
            let path = try arguments.positional("the FILE")
            try arguments.finish()
            try channel.set(read(path))
        case "list":
            try arguments.finish()
            try requireTenant(slug, database)
            let sql = """
                select channels.*, $2::text || channels.inbound_path as inbound_url from admin.channels
                where tenant = $1 order by channel
                """
            try show(database, sql, [.text(slug), .text(configuration.linkURL)], json)
        case "remove":
            let channel = try channel()
            try arguments.finish()
            try channel.remove()
        case "test":
            let channel = try channel()
            let address = try arguments.positional("the ADDRESS")
            try arguments.finish()
            let id = try channel.test(address, environment: environment)
            let paused = try database.operate(
                "select paused_for from admin.channels where tenant = $1 and channel = $2 and paused_for is not null",
                [.text(slug), .text(channel.name)])
            let rest =
                paused.rowCount == 0
                ? "workers send what waits on the channel within seconds"
                : """
                what waits stays: an operator has paused the channel (\(PlainText.line(paused.string(0, 0) ?? ""))); \
                select * from admin.holds has the statement that resumes it
                """
            print("sent\(id.map { ", as \($0)" } ?? ""); \(rest)")
        default: throw CommandError("tenant channel takes set, list, remove or test", status: 64)
        }
    }

    /// Reads a file, or standard input for `-`.
    private static func read(_ path: String) throws -> [UInt8] {
        guard path != "-" else { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("\(path) cannot be read")
        }
        return Array(data)
    }

    /// Converts `NAME=VALUE` words to a JSON object. A value that is valid JSON (a number, true, an array) is taken as
    /// JSON, and that of the picture `brand_mark` as the path of a file after `@`.
    private static func settings(_ words: [String]) throws -> String {
        guard !words.isEmpty else { throw CommandError("missing NAME=VALUE", status: 64) }
        var object: [String: Any] = [:]
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw CommandError("expected NAME=VALUE, not \(word)", status: 64)
            }
            let name = String(word[..<equals])
            var value = String(word[word.index(after: equals)...])
            if name == "brand_mark", value.hasPrefix("@") {
                value = try Data(read(String(value.dropFirst()))).base64EncodedString()
            }
            let parsed = try? JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
            object[name] = parsed ?? value
        }
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    /// Prints the rows of a query, one a line: as JSON objects, or as `name=value` words.
    static func show(_ database: Database, _ sql: String, _ values: [PostgresValue], _ json: Bool) throws {
        guard !json else {
            let rows = try database.operate("select to_json(answer) from (\(sql)) as answer", values)
            for row in 0..<rows.rowCount { print(rows.string(row, 0) ?? "null") }
            return
        }
        let rows = try database.operate(sql, values)
        for row in 0..<rows.rowCount {
            print(
                (0..<rows.columnCount).map { "\(rows.columnName($0))=\(rows.string(row, $0) ?? "")" }.joined(
                    separator: " "))
        }
    }
}

extension Database {
    /// Runs one statement as the operator's role, so that the rules and the audit of `admin` apply to the command line
    /// too. It waits at most 5 s for a lock.
    ///
    /// - Throws: ``CommandError`` with the database's message; with status 65 for values that it does not take, and
    ///   with status 75 and the transactions in the way if one of them holds what the statement needs.
    func operate(_ sql: String, _ values: [PostgresValue] = []) throws -> PostgresResult {
        try Self.reporting {
            let session = try operatorSession()
            try session.execute("set lock_timeout = '5s'")
            do throws(PostgresError) {
                return try session.query(sql, values)
            } catch {
                guard case .server(let refusal) = error, refusal.sqlState == .lockNotAvailable else { throw error }
                throw CommandError(
                    (["another transaction holds what this needs, so nothing was changed"] + holders(session))
                        .joined(separator: "\nkith: "), status: 75)
            }
        }
    }

    /// The transactions of the database that have been open long enough to be in the way, and what ends each.
    private func holders(_ session: PostgresSession) -> [String] {
        let question = """
            select format('process %s of %s has had one open for %s (%s): %s', pid, login, age, state, remedy) from admin.long_transactions
            where database = current_database() order by began_at limit 5
            """
        // A login that sees one tenant may not read the view.
        guard let rows = try? session.query(question) else {
            return ["an operator of the whole installation sees it in admin.long_transactions"]
        }
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }.map(PlainText.line)
    }

    /// Runs `body`, and turns the refusals of procedures into messages for the operator.
    ///
    /// - Throws: ``CommandError`` with the database's message.
    static func reporting<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            if let refusal = CommandError(missingRight: error) { throw refusal }
            guard case .server(let refusal) = error else { throw CommandError("\(error)") }
            if refusal.sqlState == .undefinedTable || refusal.sqlState == .undefinedFunction
                || refusal.sqlState.rawValue == "3F000"
            {
                throw CommandError("the database has no schema of this version: run kith migrate")
            }
            if let fields = Self.fields(of: refusal) { throw CommandError(fields, status: 65) }
            let detail = [refusal.detail, refusal.hint].compactMap { $0 }.joined(separator: " ")
            throw CommandError(detail.isEmpty ? refusal.message : "\(refusal.message): \(detail)")
        }
    }

    /// What is wrong with the values that were given, by their names; nil if the refusal is another one.
    private static func fields(of refusal: PostgresServerError) -> String? {
        guard refusal.message == "validation_failed", let detail = refusal.detail,
            let errors = try? JSONDocument(Array(detail.utf8)).root.elements
        else { return nil }
        let texts = errors.compactMap { error in
            error["field"]?.string.flatMap { field in error["message"]?.string.map { "\(field) \($0)" } }
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }
}
