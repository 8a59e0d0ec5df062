internal import Contacts
internal import Crypto
internal import Delivery
internal import Foundation
internal import Postgres

extension Command {
    static let canary = Command(
        name: "canary",
        usage:
            "set TENANT --every INTERVAL [--webhook URL] [--push TOKEN] [--environment sandbox] [--email ADDRESS] "
            + "[--sms NUMBER] [--call NUMBER] [--within MINUTES] [--until taken] [--json] | list [--json] | "
            + "show TENANT [--json] | remove TENANT [--channel CHANNEL]",
        summary:
            """
            Watches the whole chain of a tenant's alarms: a hidden person is asked every INTERVAL (1h, 2h, 3h, 4h, 6h, \
            8h, 12h or 1d), never answers, and the alarm must reach each contact that is named, within MINUTES of the \
            deadline (20m), and be answered there: "1" by text or in the call, the button behind the mail's link, the \
            webhook's 2xx. --until taken is content when the provider has taken it. list shows every channel, show a \
            tenant's last runs with each leg.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let verb = try arguments.positional("the subcommand: canary set, list, show or remove")
        switch verb {
        case "set":
            let canary = try NewCanary(&arguments)
            try set(canary, Database(configuration).home(of: canary.tenant), configuration, json)
        case "list":
            try arguments.finish()
            let database = try Database(configuration)
            let several = try database.everyCell().count > 1
            try database.inEveryCell { cell in
                try show(
                    cell,
                    """
                    select \(several ? "$1::text as cell, " : "")tenant, channel, every_hours, state, missing_leg, asks_at, arrived_at, \
                    due_by, error from admin.canaries order by tenant, channel
                    """, several ? [.text(cell.cellName ?? Cell.directory)] : [], json)
            }
        case "show":
            let tenant = try arguments.positional("the TENANT")
            try arguments.finish()
            let database = try Database(configuration).home(of: tenant)
            try requireTenant(tenant, database)
            if !json, let reason = try noRun(of: tenant, database) { return print(reason) }
            try show(
                database,
                """
                select channel, asks_at, outcome, made_at, asked_at, missed_at, alarm_at, planned_at, sent_at, taken_at, heard_at, error \
                from admin.canary_runs where tenant = $1 order by asks_at desc, channel limit 50
                """, [.text(tenant)], json)
        case "remove":
            guard !json else { throw CommandError("canary remove takes only the TENANT and --channel", status: 64) }
            let channel = try arguments.option("channel")
            let tenant = try arguments.positional("the TENANT")
            try arguments.finish()
            let database = try Database(configuration).home(of: tenant)
            let removed = try database.operate(
                "select admin.remove_canary($1, $2)", [.text(tenant), channel.map(PostgresValue.text) ?? .null])
            print(removed.string(0, 0) ?? "")
        default: throw CommandError("canary takes set, list, show or remove", status: 64)
        }
    }

    /// Why there is no run to be shown; nil if there is one.
    private static func noRun(of tenant: String, _ database: Database) throws -> String? {
        let known = try database.operate(
            """
            select (select count(*) from admin.canaries where tenant = $1),
              (select count(*) from admin.canary_runs where tenant = $1)
            """, [.text(tenant)])
        if known.int(0, 1) != 0 { return nil }
        return known.int(0, 0) == 0
            ? "\(tenant) has no canary; kith canary set makes one"
            : "the canary of \(tenant) has not been asked yet; kith canary list says when it is"
    }

    private static func set(
        _ canary: NewCanary, _ database: Database, _ configuration: Configuration, _ json: Bool
    ) throws {
        var channels = canary.channels
        var secret: String?
        if let url = canary.webhook {
            // The secrets are bound to the tenant's number and the endpoint's id.
            let found = try database.operate(
                "select tenant_id from admin.tenants where slug = $1 and status <> 'deleted'", [.text(canary.tenant)])
            guard let tenant = found.rowCount > 0 ? found.int(0, 0) : nil else {
                throw CommandError("there is no tenant \(canary.tenant): kith tenant list")
            }
            let id = UUID7.make(at: Int64(Date().timeIntervalSince1970 * 1_000_000))
            let secrets = WebhookSecrets()
            let sealed = try secrets.sealed(tenant: tenant, id: id, with: configuration.loadMasterKey())
            secret = secrets.newest
            channels["webhook"] = ["address": url, "id": id, "sealed": Hex.encode(sealed)]
        }
        if canary.untilTaken { for channel in channels.keys { channels[channel]?["needs_heard"] = "false" } }
        let named = try JSONSerialization.data(withJSONObject: channels)
        let answer = try database.operate(
            "select admin.set_canary($1, $2::integer, $3::jsonb, $4::integer)",
            [.text(canary.tenant), .int(canary.everyHours), .bytes(Array(named)), .int(canary.withinMinutes)])
        guard !json else {
            var shown = ["tenant": canary.tenant, "watches": canary.names.joined(separator: " ")]
            shown["webhook_secret"] = secret
            let data = try JSONSerialization.data(withJSONObject: shown, options: .sortedKeys)
            return print(String(decoding: data, as: UTF8.self))
        }
        print("\(canary.tenant) has a canary on \(canary.names.joined(separator: ", ")); \(answer.string(0, 0) ?? "")")
        if let secret { print("webhook_secret=\(secret) signs its requests, and is shown only here") }
        if canary.isToBeHeard {
            print("each of its alarms must be answered, or it counts as dead: see deploy/README.md, The canary")
        }
    }
}

/// A canary as `kith canary set` names it, checked as far as the program alone can.
struct NewCanary {
    let tenant: String
    let everyHours: Int
    let withinMinutes: Int
    let untilTaken: Bool
    /// The address of its endpoint, if it has one.
    let webhook: String?
    /// Its other channels, as `admin.set_canary` takes them.
    private(set) var channels: [String: [String: String]] = [:]

    var names: [String] { (channels.keys + (webhook == nil ? [] : ["webhook"])).sorted() }
    var isToBeHeard: Bool { !untilTaken && ["email", "sms", "call"].contains { channels[$0] != nil } }

    /// Reads the arguments after `set`.
    ///
    /// - Throws: ``CommandError`` with status 64 that names what is wrong.
    init(_ arguments: inout Arguments) throws {
        guard let every = try arguments.option("every") else { throw CommandError("missing --every", status: 64) }
        guard let hours = Self.number(every, "h") ?? Self.number(every, "d").map({ $0 * 24 }),
            [1, 2, 3, 4, 6, 8, 12, 24].contains(hours)
        else { throw CommandError("--every must be 1h, 2h, 3h, 4h, 6h, 8h, 12h or 1d", status: 64) }
        everyHours = hours
        let within = try arguments.option("within") ?? "20m"
        guard let minutes = Self.number(within, "m"), 2...25 ~= minutes else {
            throw CommandError("--within must be from 2m to 25m", status: 64)
        }
        withinMinutes = minutes
        let until = try arguments.option("until") ?? "heard"
        guard ["heard", "taken"].contains(until) else {
            throw CommandError("--until must be heard or taken", status: 64)
        }
        untilTaken = until == "taken"
        let environment = try arguments.option("environment") ?? "production"
        guard ["production", "sandbox"].contains(environment) else {
            throw CommandError("--environment must be production or sandbox", status: 64)
        }
        webhook = try arguments.option("webhook").map { url in
            do throws(OutboundURL.Refusal) { return try OutboundURL(url).text } catch {
                throw CommandError("--webhook \(error.message)", status: 64)
            }
        }
        if let token = try arguments.option("push") {
            channels["push"] = ["address": token, "environment": environment]
        }
        if let address = try arguments.option("email") {
            guard let mail = MailAddress(address), !mail.isInternational else {
                throw CommandError("--email must be an e-mail address in ASCII", status: 64)
            }
            channels["email"] = ["address": mail.text]
        }
        for channel in ["sms", "call"] {
            guard let number = try arguments.option(channel) else { continue }
            do throws(PhoneNumberProblem) { channels[channel] = ["address": try PhoneNumber(number).e164] } catch {
                throw CommandError(
                    "--\(channel) must be a phone number with its country, such as +4915112345678", status: 64)
            }
        }
        tenant = try arguments.positional("the TENANT")
        try arguments.finish()
        guard webhook != nil || !channels.isEmpty else {
            throw CommandError("name a contact: --webhook, --push, --email, --sms or --call", status: 64)
        }
    }

    private static func number(_ text: String, _ unit: Character) -> Int? {
        text.last == unit ? Int(text.dropLast()) : nil
    }
}
