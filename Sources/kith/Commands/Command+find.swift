internal import Foundation
internal import Postgres

/// Questions of an operator whose answer may be in any cell.
extension Command {
    static let find = Command(
        name: "find", usage: "CONTACT [--tenant SLUG] [--on DATE] [--json]",
        summary:
            """
            Finds people by their phone number, e-mail address, name or id, in every cell, or in one tenant. Each has \
            the statement that tells their day, of DATE or today.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let tenant = try arguments.option("tenant")
        let date = try arguments.option("on")
        let contact = try arguments.positional("the CONTACT: a phone number, an e-mail address, a name or an id")
        try arguments.finish()
        let database = try Database(configuration)
        let values = [tenant.map(PostgresValue.text) ?? .null, .text(contact), date.map(PostgresValue.text) ?? .null]
        let sql = "select * from admin.find_user($1, $2, $3::date)"
        if let tenant { return try show(database.home(of: tenant), sql, values, json) }
        var isFound = false
        try database.inEveryCell { cell in
            do {
                try show(cell, sql, values, json)
                isFound = true
            } catch let error as CommandError where error.message.hasPrefix("not_found") {
                // Another cell may have them.
            }
        }
        guard isFound else {
            throw CommandError("no user of any tenant has this contact. A name must be whole, as the person wrote it")
        }
    }

    static let story = Command(
        name: "story", usage: "ID [--on DATE]",
        summary:
            """
            Tells what the database of any cell knows of a ping, a notification, a delivery or an alarm, or the day of \
            a person or a connection: DATE, or today where the person or the sender lives.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let date = try arguments.option("on")
        let text = try arguments.positional("the ID")
        try arguments.finish()
        guard let id = UUID(uuidString: text) else {
            throw CommandError("the ID \(text) is no id; kith find finds a person's", status: 64)
        }
        var story: RowStory?
        do {
            try Database(configuration).inEveryCell {
                if story == nil { story = try RowStory(of: id, findsPeople: true, on: date, $0) }
            }
        } catch let error as CommandError where error.status == 75 && story != nil {
            // What was found is not in the cell that is away.
            standardError("kith: \(error.message)")
        }
        guard let story else {
            throw CommandError("no ping, message, alarm, connection or person has the id \(text)", status: 66)
        }
        for line in story.lines(width: 80) { print(line) }
    }

    static let busiest = Command(
        name: "busiest", usage: "[--since INSTANT] [--json]",
        summary:
            """
            Shows the callers with the most requests since an instant (an hour ago), 20 of each cell, with how many \
            times as many that is as in the week before.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let json = arguments.flag("json")
        let since = try arguments.option("since")
        try arguments.finish()
        let database = try Database(configuration)
        let several = try database.everyCell().count > 1
        try database.inEveryCell { cell in
            let name = several ? "$2::text as cell, " : ""
            let values = [since.map(PostgresValue.text) ?? .null]
            try show(
                cell,
                "select \(name)busy.* from admin.busiest(coalesce($1::timestamptz, now() - interval '1 hour')) as busy",
                several ? values + [.text(cell.cellName ?? Cell.directory)] : values, json)
        }
    }
}
