internal import Foundation
internal import Postgres

/// What the database knows of a ping, a notification, a delivery, an alarm or a person's day.
struct RowStory {
    /// The heading: what the id is, and of which tenant.
    private let heading: String
    private let rows: [(at: String, what: String, detail: String, next: String?)]

    /// Finds the ping, notification, delivery or alarm with this id, and with `findsPeople` the person or the
    /// connection; nil if there is none. `date` is the day of a person or of a connection's ping; nil for today where
    /// the person or the sender lives.
    ///
    /// - Throws: ``CommandError`` if the database refuses, or has another schema.
    init?(of id: UUID, findsPeople: Bool = false, on date: String? = nil, _ database: Database) throws {
        let text = id.uuidString.lowercased()
        let found = try database.operate(
            """
            select 'notification', tenant.slug, null, null
            from kith.tenants as tenant
            where exists (select from kith.notifications as one where one.tenant_id = tenant.tenant_id and one.id = $1::uuid)
            union all
            select 'delivery', tenant.slug, null, null
            from kith.tenants as tenant
            where exists (select from kith.deliveries as one where one.tenant_id = tenant.tenant_id and one.id = $1::uuid)
            union all
            select 'alarm', tenant.slug, null, null
            from kith.tenants as tenant
            where exists (select from kith.alarms as one where one.tenant_id = tenant.tenant_id and one.id = $1::uuid)
            union all
            -- A ping is made on its date, so its id has the date, in some zone.
            select 'ping', tenant.slug, ping.connection_id::text, ping.ping_on::text
            from kith.pings as ping
            join kith.tenants as tenant on tenant.tenant_id = ping.tenant_id
            where ping.ping_on between $2::date - 1 and $2::date + 1 and ping.id = $1::uuid
            union all
            select 'connection', tenant.slug, $1::text, coalesce($3::date, (now() at time zone account.time_zone)::date)::text
            from kith.tenants as tenant
            cross join lateral (
              select coalesce(profile.time_zone, sender.time_zone) as time_zone
              from kith.connections as one
              join kith.users as sender on sender.tenant_id = one.tenant_id and sender.id = one.sender_id
              left join kith.sender_profiles as profile on profile.tenant_id = sender.tenant_id and profile.user_id = sender.id
              where $4 and one.tenant_id = tenant.tenant_id and one.id = $1::uuid
              limit 1
            ) as account
            union all
            select 'person', tenant.slug, null, coalesce($3::date, (now() at time zone account.time_zone)::date)::text
            from kith.tenants as tenant
            cross join lateral (
              select one.time_zone from kith.users as one where $4 and one.tenant_id = tenant.tenant_id and one.id = $1::uuid limit 1
            ) as account
            limit 1
            """,
            [
                .text(text), .text(Self.day(of: text)), date.map(PostgresValue.text) ?? .null, .bool(findsPeople),
            ])
        guard found.rowCount == 1, let kind = found.string(0, 0), let tenant = found.string(0, 1) else { return nil }
        let story: PostgresResult
        if let connection = found.string(0, 2), let date = found.string(0, 3) {
            heading =
                "\(kind) \(text) of the tenant \(tenant)\(kind == "ping" ? ", connection \(connection)" : ""), \(date)"
            story = try database.operate(
                "select \(Self.columns) from admin.story_of_ping($1, $2::uuid, $3::date)",
                [.text(tenant), .text(connection), .text(date)])
        } else if let date = found.string(0, 3) {
            heading = "\(kind) \(text) of the tenant \(tenant), \(date)"
            story = try database.operate(
                "select \(Self.columns), next from admin.story_of_user($1, $2::uuid, $3::date)",
                [.text(tenant), .text(text), .text(date)])
        } else {
            heading = "\(kind) \(text) of the tenant \(tenant)"
            let procedure = kind == "alarm" ? "story_of_alarm" : "story_of_notification"
            story = try database.operate(
                "select \(Self.columns) from admin.\(procedure)($1, $2::uuid)", [.text(tenant), .text(text)])
        }
        rows = (0..<story.rowCount).map {
            (
                story.string($0, 0) ?? "", story.string($0, 1) ?? "", story.string($0, 2) ?? "",
                story.columnCount > 3 ? story.string($0, 3).flatMap(Self.command) : nil
            )
        }
    }

    private static let columns = #"to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), what, detail"#

    /// The command that tells more, for a statement such as `select * from admin.story_of_alarm('acme', '…')`; nil for
    /// another statement.
    private static func command(_ statement: String) -> String? {
        let story = /select \* from admin\.story_of_[a-z]+\('[^']*', '([0-9a-f-]{36})'(?:, '([0-9-]{10})')?\)/
        guard let match = statement.wholeMatch(of: story) else { return nil }
        return "kith story \(match.1)\(match.2.map { " --on \($0)" } ?? "")"
    }

    /// The date in UTC that stands in an id of version 7 (RFC 9562, section 5.7): its first 48 bits are milliseconds
    /// since 1970.
    private static func day(of id: String) -> String {
        let milliseconds = Int(id.replacing("-", with: "").prefix(12), radix: 16) ?? 0
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let year = min(Int(parts.tm_year) + 1900, 9999)
        return "\(String(year)) \(parts.tm_mon + 1) \(parts.tm_mday)".split(separator: " ")
            .map { $0.count < 2 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }

    /// The story in lines of at most `width` columns.
    func lines(width: Int) -> [String] {
        PlainText.wrapped(heading, width: width, indent: 0)
            + rows.flatMap { row in
                PlainText.wrapped(
                    "\(row.at.isEmpty ? "now" : row.at) \(row.what == "now" ? "" : row.what)", width: width, indent: 0)
                    + PlainText.wrapped(row.detail, width: width, indent: 4)
                    + (row.next.map { ["    \($0)"] } ?? [])
            }
    }
}
