import Foundation
import Testing

/// Compares the limits in deploy/README.md with what the database and the API's documentation say. A limit that
/// somebody changes in one place only is a promise that is not kept.
@Suite struct `The limits in deploy/README.md` {
    /// A limit that the database enforces.
    struct Limit: Sendable {
        /// How the row of deploy/README.md begins.
        let row: String
        /// The limit as the row has it.
        let text: String
        /// The file that enforces it, and the text that is the limit there.
        let file: String
        let rule: String
        /// The limit as the API's documentation has it (`Endpoint.Bound` or a call's own bound); nil if it has none.
        let bound: String?

        init(_ row: String, _ text: String, _ file: String, _ rule: String, bound: String? = nil) {
            (self.row, self.text, self.file, self.rule, self.bound) = (row, text, file, rule, bound)
        }

        /// A limit of `internal.acts_a_day`.
        static func aDay(_ row: String, _ text: String, _ act: String, _ limit: Int, bound: String? = nil) -> Limit {
            Limit(row, text, "sql/foundation/internal.acts.sql", "when '\(act)' then \(limit)\n", bound: bound)
        }

        /// A limit of `internal.code_limit`.
        static func codes(_ row: String, _ text: String, _ name: String, _ limit: Int, bound: String? = nil) -> Limit {
            Limit(row, text, "sql/foundation/internal.code_limits.sql", "when '\(name)' then \(limit)\n", bound: bound)
        }

        /// The default of a setting of tenants, which the row names.
        static func setting(_ row: String, _ text: String, _ setting: String, _ limit: Int) -> Limit {
            Limit(row, text, "sql/migrations/0002_create_tenants.sql", "\(setting) integer not null default \(limit)\n")
        }
    }

    static let limits: [Limit] = [
        .codes(
            "one-time codes to one address", "5 an hour", "codes_to_address_an_hour", 5,
            bound: "5 one-time codes per address per hour"),
        .codes("one-time codes to one address", "by e-mail 20 in 24 hours", "emails_to_address_a_day", 20),
        .setting(
            "one-time codes to one address", "by SMS 10 in 24 hours (`sms_codes_per_number_per_day`)",
            "sms_codes_per_number_per_day", 10),
        .codes(
            "one-time codes by e-mail of one tenant in a UTC day", "| 50,000 |", "emails_of_tenant_a_day", 50000),
        .setting(
            "one-time codes by SMS of one tenant in a UTC day",
            "2,000 to one country calling code (`sms_codes_per_country_per_day`)", "sms_codes_per_country_per_day", 2000
        ),
        .setting(
            "one-time codes by SMS of one tenant in a UTC day", "5,000 in all (`sms_codes_per_day`)",
            "sms_codes_per_day",
            5000),
        .codes(
            "codes with which one user verifies new contacts", "10 an hour", "codes_of_user_an_hour", 10,
            bound: "10 codes per hour for new contacts"),
        .codes("tries of one-time codes", "5 for each code", "tries_of_code", 5),
        .codes(
            "tries of one-time codes", "10 an hour for each address over all codes, challenges and spellings",
            "tries_for_address_an_hour", 10, bound: "10 attempts per hour."),
        .codes(
            "invitations by SMS of one tenant", "3 to one number in 24 hours", "invitations_to_number_a_day", 3),
        .setting(
            "invitations by SMS of one tenant", "5,000 in a UTC day (`sms_invitations_per_day`)",
            "sms_invitations_per_day", 5000),
        .aDay(
            "changes by one user to their own data", "5,000 in a UTC day", "change", 5000,
            bound: "5,000 changes per user per UTC day."),
        .aDay(
            "changes by one user that all connected users", "200 in a UTC day", "broadcast", 200,
            bound: "200 changes per user per UTC day, of those"),
        .aDay(
            "returns of one user's ended sender or receiver profile", "10 in a UTC day", "return", 10,
            bound: "10 returns of an ended profile per user per UTC day."),
        .aDay("feedback of one user", "20 in a UTC day", "feedback", 20, bound: "20 times per user per UTC day."),
        .aDay(
            "resent invitations to nominees", "400 a day for one user", "invitation", 400,
            bound: "400 times per user per UTC day."),
        .aDay(
            "resent invitations to transfers", "400 a day of one user", "invitation", 400,
            bound: "400 times per user per UTC day."),
        .aDay(
            "changes of emergency access", "100 in a UTC day", "right", 100,
            bound: "100 changes of emergency access per user per UTC day."),
        .aDay(
            "requests for emergency access by one user", "20 in a UTC day", "asking", 20,
            bound: "20 requests per user per UTC day"),
        .aDay(
            "approvals of requests for emergency access", "100 in a UTC day", "emergency", 100,
            bound: "100 approvals and entries by emergency access per user per UTC day."),
        .aDay(
            "rehearsals of emergency access, or of a plan for alarms, by one user", "100 in a UTC day", "rehearsal",
            100,
            bound: "100 rehearsals per user per UTC day."),
        .aDay(
            "refreshes of sign-ins by one user", "5,000 in a UTC day", "refresh", 5000,
            bound: "5,000 times per user per UTC day."),
        .aDay(
            "changes to one tenant's settings", "1,000 in a UTC day", "administration", 1000,
            bound: "1,000 changes of the tenant's settings, keys, channels and webhooks per UTC day."),
        .aDay("participants of a share", "4,000 added or changed by one user in a UTC day", "participant", 4000),
        .aDay(
            "messages of one user", "1,000 in a UTC day", "message", 1000,
            bound: "30 messages per user per minute, 1,000 per UTC day; 50,000 per conversation."),
        .aDay(
            "documents uploaded, renamed and restored by one user", "2,000 in a UTC day", "document", 2000,
            bound: "2,000 document changes per user per UTC day."),
        .aDay(
            "reads of documents by one user", "5,000 in a UTC day", "reading", 5000,
            bound: "5,000 reads per user per UTC day that the vault's history records."),
        Limit(
            "database connections of one operator's login", "| 10 |", "sql/operation/admin.operators.sql",
            "connection limit 10"),
        Limit(
            "connections of one user in one role", "| 10,000 |", "sql/connecting/api.connections.sql",
            "One of you has 10,000 connections", bound: "10,000 connections per user and role, including removed ones."),
        Limit(
            "check-ins of one user that are stored", "200 in 24 hours", "sql/check_ins/api.check_in.sql",
            "count(*) < 200", bound: "The notes of 200 check-ins per user are kept in 24 hours."),
        Limit(
            "nominees invited by one user", "200 in 24 hours", "sql/nominees/internal.nominees.sql", "offset 199",
            bound: "200 people invited per user in 24 hours"),
        Limit(
            "resent invitations to nominees", "5 a day for each", "sql/access/api.nominees.sql", "offset 4 limit 1",
            bound: "5 times per nominee in 24 hours"),
        Limit(
            "resent invitations to transfers", "5 a day for each", "sql/access/api.transfers.sql", "offset 4 limit 1",
            bound: "5 times per transfer in 24 hours"),
        Limit(
            "nominees of one vault", "1,000 who are not revoked", "sql/nominees/internal.nominees.sql",
            "p_more > 1000 ",
            bound: "per vault, 1,000 nominees that are not revoked"),
        Limit(
            "nominees of one vault", "5,000 ever", "sql/nominees/internal.nominees.sql", "p_more > 5000\n",
            bound: "and 5,000 ever."),
        Limit(
            "requests for emergency access to one vault", "three in 24 hours",
            "sql/emergency/internal.emergency_requests.sql", "(where past.cause = 'request'))[3] as third_at",
            bound: "per nominee one open request by asking, and three in 24 hours."),
        Limit(
            "requests for emergency access to one vault", "five withdrawals",
            "sql/emergency/internal.emergency_requests.sql", "(where past.end_reason = 'withdrawn'))[5] as withdrawn_at"
        ),
        Limit(
            "openings of one vault by one user", "100 in 24 hours", "sql/vaults/internal.vault_sessions.sql",
            "offset 99 limit 1", bound: "100 openings per vault and user in 24 hours."),
        .aDay(
            "acts of one user in alarms", "200 in a UTC day", "alarm", 200,
            bound: "200 acts in alarms per user per UTC day."),
        Limit(
            "questions \"Are you OK?\" on one connection", "3 in 24 hours, one at a time", "sql/alarms/api.asks.sql",
            "having count(*) = 3;", bound: "3 questions per connection in 24 hours, and one at a time."),
        Limit(
            "notes in one alarm", "100 of each person, 200 of the desk", "sql/alarms/internal.alarm_acts.sql",
            "count(*) >= case when p_user is null then 200 else 100 end", bound: "100 notes per user and alarm."),
        Limit(
            "drills of one user", "one in 7 days", "sql/alarms/api.alarm_drill.sql", "p_now - interval '7 days'",
            bound: "One drill per user in 7 days."),
        Limit(
            "giving back and opening again", "10 in 24 hours", "sql/alarms/internal.alarm_acts.sql",
            "having count(*) = 10;", bound: "10 times per user and alarm in 24 hours, with giving it back."),
        Limit(
            "giving back and opening again", "10 in 24 hours", "sql/alarms/internal.alarm_acts.sql",
            "having count(*) = 10;", bound: "10 times per user and alarm in 24 hours, with opening it again."),
        Limit(
            "notes of one alarm that its taker", "| 50 |", "sql/alarms/internal.alarm_acts.sql", "count(*) < 50 ",
            bound: "50 notes per alarm that its taker still has it. It is never refused."),
        .aDay("care cards that one user sees", "100 in a UTC day", "card", 100),
        Limit(
            "calls for help by one user that are told each", "10 in 24 hours", "sql/alarms/internal.help_calls.sql",
            "  select 10\n",
            bound:
                """
                Beyond 10 calls in 24 hours, the first word of a call still goes to everybody; further calls in an \
                open alarm are told to each receiver at most once in 10 minutes, and texts and calls go to a number \
                at most once in 10 minutes.
                """
        ),
        Limit(
            "calls for help of one sender by text and call to one number", "10 in 24 hours",
            "sql/alarms/internal.help_calls.sql", "v_words >= internal.most_calls()"),
        Limit(
            "answers by SMS to one phone number", "30 in 24 hours", "sql/answers/internal.answers.sql",
            "known.answers < 30 "),
        Limit(
            "answers by SMS to one phone number", "at most once an hour", "sql/answers/internal.answers.sql",
            "known.explained_at <= p_now - interval '1 hour'"),
        Limit(
            "things of one user", "| 10 |", "sql/things/api.signs.sql", "count(*) >= 10 ", bound: "10 things per user."),
        Limit(
            "webhooks of one tenant", "| 10 |", "sql/webhooks/api.webhooks.sql", "count(*) >= 10 ",
            bound: "10 webhooks."),
        Limit(
            "codes of one user", "| 100, including those that ended in the last 90 days |",
            "sql/connections/internal.codes.sql", "count(*) >= 100\n",
            bound: "100 codes per user. Ended codes count for 90 days."),
        Limit(
            "secret keys of one tenant", "50 live ones", "sql/tenants/internal.api_keys.sql", "count(*) >= 50 ",
            bound: "50 live keys."),
        Limit(
            "keys of a tenant's identity provider", "| 100 |", "sql/tenants/api.jwt_keys.sql", "count(*) > 100 ",
            bound: "100 keys."),
        Limit(
            "pauses and resumes of one connection", "20 an hour", "sql/notifications/internal.notify_connection.sql",
            "offset 19 limit 1", bound: "20 times per connection per hour."),
        Limit(
            "test messages of one connection", "3 in 24 hours, one an hour", "sql/connecting/api.connection_tests.sql",
            "having count(*) = 3;", bound: "3 per connection in 24 hours, one an hour."),
        Limit(
            "breaks begun or changed", "10 an hour", "sql/pings/internal.breaks.sql", "offset 9 limit 1",
            bound: "10 breaks begun or changed per hour."),
        Limit(
            "connection codes tried by one user", "10 misses", "sql/connections/internal.codes.sql",
            "outcome <> 'found'\n        order by attempted_at desc offset 9 limit 1",
            bound: "20 attempts per user per hour, 10 of which may miss."),
        Limit(
            "connection codes tried by one user", "20 attempts an hour", "sql/connections/internal.codes.sql",
            "attempted_at > v_since\n        order by attempted_at desc offset 19 limit 1"),
        .setting(
            "missed connection codes in one tenant", "5,000 an hour (`code_misses_per_hour`)", "code_misses_per_hour",
            5000),
        Limit(
            "reports of one thing (`/s/…`)", "10 a second, 50 at once", "Sources/API/Server/APIConfiguration.swift",
            "thingLimit = Limit(rate: 10, burst: 50)"),
        Limit(
            "files of one form of the web client", "502 MiB", "deploy/nginx.conf",
            "client_max_body_size 502m;"),
        Limit(
            "files of one form of the web client", "502 MiB", "deploy/Caddyfile", "max_size 502MiB"),
        Limit(
            "files of one form of the web client", "501 MiB in all", "Sources/API/Web/FileForm.swift",
            "mostFiles * DocumentVersion.maximumSize + (1 << 20)"),
        Limit(
            "people invited by one user", "1,000 in one call", "Sources/API/Connections/Endpoint+invitations.swift",
            ".array(of: .component(.newRecipient), count: 1...1000)"),
        Limit(
            "people invited by one user", "2,000 in 24 hours", "sql/connections/internal.invitations.sql",
            "p_recipients > 2000;", bound: "2,000 people invited per user in 24 hours."),
        Limit(
            "shares of one vault", "1,000 ever", "sql/nominees/api.shares.sql", "offset 999 limit 1",
            bound: "1,000 shares per vault ever."),
        Limit("messages of one user", "30 a minute", "sql/vaults/internal.messages.sql", "offset 29"),
        Limit("messages in one conversation", "| 50,000 |", "sql/vaults/api.messages.sql", "offset 49999 limit 1"),
        Limit(
            "transfers of one vault", "10 in 24 hours", "sql/access/internal.transfers.sql", "offset 9\n",
            bound: "10 offers per vault in 24 hours, one at a time."),
        .setting(
            "notifications by SMS to one user", "20 in 24 hours (`sms_notifications_per_user_per_day`)",
            "sms_notifications_per_user_per_day", 20),
        Limit(
            "vaults of one user", "| 200, and as many deleted ones |", "sql/vaults/internal.vaults.sql", ">= 200\n",
            bound: "200 vaults per user, and as many deleted ones."),
        .setting("documents of one vault", "1,024 MiB (`vault_quota_mib`)", "vault_quota_mib", 1024),
        Limit(
            "documents of one vault", "10,000 documents", "sql/documents/internal.documents.sql",
            "v_documents >= 10000 ", bound: "10,000 documents per vault."),
        Limit(
            "unfinished uploads of one vault", "| 50 |", "sql/documents/api.document_contents.sql", "count(*) >= 50 "),
        Limit(
            "devices of one user", "| 20 |", "sql/deliveries/api.devices.sql", "offset 20\n",
            bound: "20 devices per user."),
        Limit(
            "forms with files of one user at once", "| 1 |", "Sources/API/Server/SharedState.swift",
            "let fileForms = InFlightLimit(\n        most: 1,"),
        Limit("form with files", "20 files", "Sources/API/Web/FileForm.swift", "mostFiles = 20\n"),
        Limit("form with files", "40 parts", "Sources/API/Web/FileForm.swift", "mostParts = mostFiles + 20\n"),
        Limit("form with files", "64 KiB of names", "Sources/API/Web/FileForm.swift", "mostFields = 64 << 10\n"),
    ]

    /// The rows of the table, each with the continuation rows that follow it.
    private static func rows() throws -> [String] {
        var rows: [String] = []
        for line in try Repository.text("deploy/README.md").split(separator: "\n").drop(while: { $0 != "## Limits" })
            .prefix(while: { $0 != "## The master key" }) where line.hasPrefix("| ") && !line.hasPrefix("| limit |")
        {
            if line.hasPrefix("| |"), let last = rows.popLast() {
                rows.append("\(last)\n\(line)")
            } else {
                rows.append(String(line))
            }
        }
        return rows
    }

    @Test(arguments: limits)
    func `are those of the database and of the API's documentation`(limit: Limit) throws {
        let row = try #require(
            try Self.rows().first { $0.hasPrefix("| \(limit.row)") },
            "no row of deploy/README.md begins with \(limit.row)")
        #expect(row.contains(limit.text), "\(row) does not say \(limit.text)")
        let isEnforced = try Repository.text(limit.file).contains(limit.rule)
        #expect(isEnforced, "\(limit.file) has no \(limit.rule) for: \(limit.row)")
        guard let bound = limit.bound else { return }
        // A long text is written in several lines.
        let sources = try Repository.files(in: "Sources/API").map {
            try Repository.text($0).replacing(/\\\n */, with: "")
        }
        #expect(sources.contains { $0.contains(bound) }, "no call is bound by: \(bound)")
    }

    /// The numbers that stand in the bounds of calls and are no limits.
    private static let otherNumbers: Set = [
        "Invitations are kept for 90 days.", "Ids of messages are kept for 7 days.",
        "Ids of calls are kept for 7 days.",
    ]

    @Test func `include every number in a call's bound`() throws {
        let known = Self.limits.compactMap(\.bound).sorted { $0.count > $1.count } + Self.otherNumbers
        let bound = try Regex(#"(?:bound:|static let \w+ =)\s+"([^"]*[0-9][^"]*)""#, as: (Substring, Substring).self)
        var bounds: [String] = []
        for path in Repository.files(in: "Sources/API") where path.contains("/Endpoint+") {
            bounds += try Repository.text(path).matches(of: bound).map { String($0.output.1) }
        }
        #expect(bounds.count > 30)
        for bound in bounds {
            let rest = known.reduce(bound) { $0.replacing($1, with: "") }
            let number = rest.first(where: \.isNumber)
            #expect(number == nil, "no limit of this test is the number in “\(rest)” of: \(bound)")
        }
    }

    @Test func `include every limit that the database counts`() throws {
        let known = Set(Self.limits.map(\.row))
        for row in try Self.rows() where row.contains("| database |") {
            #expect(known.contains { row.hasPrefix("| \($0)") }, "no test compares this row with the database: \(row)")
        }
        for (file, function) in [
            ("sql/foundation/internal.acts.sql", "internal.acts_a_day"),
            ("sql/foundation/internal.code_limits.sql", "internal.code_limit"),
        ] {
            let rule = try NSRegularExpression(pattern: #"when '[a-z_]+' then [0-9]+\n"#)
            let text = try Repository.text(file)
            let rules = rule.matches(
                in: String(text.prefix(upTo: text.range(of: "\n  end\n")?.upperBound ?? text.endIndex)))
            #expect(rules.count > 5)
            for rule in rules {
                #expect(
                    Self.limits.contains { $0.file == file && $0.rule == rule },
                    "\(function) has \(rule), and deploy/README.md has no row")
            }
        }
    }
}
