import Counterparts
import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// What the matrix of messages (Tests/Matrix) cannot see, because no worker runs in it: the answers of a call, and
/// providers that break off, refuse or stay silent. Each cell is a pair of people, and a tenant says how its providers
/// behave. All cells share one clock, which is the workers'. Workers that die are in `Deliveries under faults`.
@Suite(.mayBlock) struct `A call for help through the worker` {
    /// A receiver and what their channels do.
    struct Cell: Sendable {
        let name: String
        /// The tenant, by how its provider of text messages behaves.
        var texts = "/status/200"
        /// How the provider of calls refuses them; nil if it takes them.
        var refusesCalls: String?
        var hasCalls = true
        /// The scripts of their phones with the app.
        var devices: [String] = []
        var email: String?
        /// What happens on a call to them, as the stand-in of Twilio knows it by a number's last digit.
        var phone: Phone?
        /// The channels that they chose for calls for help.
        var chosen: String?
        /// What becomes of the call for help on each channel within five minutes, in the order in which they are
        /// planned. A phone call is made again in ten minutes unless somebody has pressed a key.
        let outcome: String
        /// The same two minutes after the call, if a wait is the point.
        var soon: String?
        var isUndelivered = false
    }

    enum Phone: Int { case machine = 0, takes = 1, hears = 5, unanswered = 9 }

    static let cells: [Cell] = [
        // A call's answers (J03, F12).
        Cell(name: "a call that somebody hears", phone: .hears, chosen: "voice", outcome: "voice queued, voice sent"),
        Cell(
            name: "a call that a machine answers", phone: .machine, chosen: "voice",
            outcome: "voice queued, voice unheard, sms sent"),
        Cell(
            name: "a call that nobody answers", phone: .unanswered, chosen: "voice",
            outcome: "voice queued, voice unheard, sms sent"),
        Cell(
            name: "a call that nobody answers, and no text", texts: "/status/400", phone: .unanswered, chosen: "voice",
            outcome: "voice queued, voice unheard, sms failed", isUndelivered: true),
        Cell(
            name: "a call that nobody answers, and a mailbox", email: "bob@cell5.example", phone: .unanswered,
            chosen: "voice", outcome: "voice queued, voice unheard, email sent, sms sent"),
        Cell(
            name: "a call that is answered by a key", phone: .takes, chosen: "voice",
            outcome: "voice queued, voice sent"),
        Cell(
            name: "a call that its provider refuses", refusesCalls: "/status/400", phone: .hears, chosen: "voice",
            outcome: "voice failed, sms sent"),
        Cell(
            name: "a call whose provider is down", refusesCalls: "/status/503", phone: .hears, chosen: "voice",
            outcome: "voice queued, sms sent", soon: "voice queued, sms sent"),

        // Texts.
        Cell(name: "a text", phone: .hears, outcome: "sms sent"),
        Cell(
            name: "a text that is refused", texts: "/status/400", phone: .hears,
            outcome: "sms failed, voice queued, voice sent"),
        Cell(
            name: "a text whose provider is down", texts: "/status/503", phone: .hears,
            outcome: "sms queued, voice queued, voice sent", soon: "sms queued, voice queued, voice sent"),
        Cell(
            name: "a text whose provider asks for an hour", texts: "/retry-after/3600/429", phone: .hears,
            outcome: "sms queued, voice queued, voice sent", soon: "sms queued, voice queued, voice sent"),
        Cell(
            name: "a text whose provider asks for five seconds", texts: "/fail/1/status/200", phone: .hears,
            outcome: "sms sent"),
        Cell(
            name: "a text whose provider breaks off its answer", texts: "/half", phone: .hears,
            outcome: "sms queued, voice queued, voice sent"),
        Cell(
            name: "a text whose provider resets the connection", texts: "/reset", phone: .hears,
            outcome: "sms queued, voice queued, voice sent"),
        Cell(
            name: "a text whose provider never answers", texts: "/never", phone: .hears,
            outcome: "sms queued, voice queued, voice sent"),
        Cell(
            name: "a text that is refused, where nobody calls", texts: "/status/400", hasCalls: false, phone: .hears,
            outcome: "sms failed", isUndelivered: true),
        Cell(
            name: "a text that waits, where nobody calls", texts: "/retry-after/3600/429", hasCalls: false,
            phone: .hears, outcome: "sms queued", isUndelivered: true),
        Cell(
            name: "a text that is refused, and a call that nobody answers", texts: "/status/400", phone: .unanswered,
            outcome: "sms failed, voice queued, voice unheard", isUndelivered: true),

        // Mail.
        Cell(name: "a mail", email: "bob@cell20.example", phone: .hears, outcome: "email sent"),
        Cell(
            name: "a mail that is refused", email: "rcpt-550-5.1.1@cell21.example", phone: .hears,
            outcome: "email failed, sms sent", soon: "email failed, sms sent"),
        Cell(
            name: "a mail that is put off", email: "data-451-4.3.0@cell22.example", phone: .hears,
            outcome: "email queued, sms sent", soon: "email queued, sms sent"),
        Cell(
            name: "a mail that is refused, and nothing else", email: "rcpt-550-5.1.1@cell23.example",
            outcome: "email failed", isUndelivered: true),

        // Phones with the app.
        Cell(name: "a push", devices: ["200 cell=24"], phone: .hears, outcome: "apns sent"),
        Cell(
            name: "a push to a device that is gone", devices: ["410 cell=25"], phone: .hears,
            outcome: "apns failed, sms sent", soon: "apns failed, sms sent"),
        Cell(
            name: "pushes to two devices, of which one is gone", devices: ["410 cell=26", "200 cell=26"],
            phone: .hears, outcome: "apns failed, apns sent"),
        Cell(
            name: "a push whose provider is down", devices: ["500 cell=27"], phone: .hears,
            outcome: "apns queued, sms sent", soon: "apns queued, sms sent"),
        Cell(
            name: "a push whose provider asks for an hour", devices: ["429 cell=28 after=3600"], phone: .hears,
            outcome: "apns queued, sms sent", soon: "apns queued, sms sent"),
        Cell(
            name: "a push to a device that is gone, and a text that is refused", texts: "/status/400",
            devices: ["410 cell=29"], phone: .hears, outcome: "apns failed, sms failed, voice queued, voice sent"),
        Cell(
            name: "a push to a device that is gone, and a mailbox", devices: ["410 cell=30"],
            email: "bob@cell30.example", outcome: "apns failed, email sent", soon: "apns failed, email sent"),
    ]

    /// The installation, its stand-ins, and the alarms by the name of their cell.
    private final class House {
        static let publicURL = "https://kith.example"
        static let token = "0123456789abcdef0123456789abcdef"
        let installation: Installation
        let providers: Providers
        let apple: Apple
        let mail: Counterpart
        let twilio: Counterpart
        let server: KithProcess
        let client: APIClient
        private var tenants: [String: Installation.Tenant] = [:]

        init() throws {
            installation = try Installation()
            providers = try Providers()
            apple = try Apple(providers.certificate)
            mail = try Counterpart("mail", ["--certificate", providers.certificate.pathWithKey])
            (server, client) = try installation.serve(["KITH_PUBLIC_URL": Self.publicURL])
            twilio = try Counterpart(
                "twilio",
                [
                    "--certificate", providers.certificate.pathWithKey, "--server", client.base.absoluteString,
                    "--token", Self.token,
                ])
        }

        /// The tenant whose providers behave as the cell says.
        func tenant(of cell: Cell) throws -> Installation.Tenant {
            let key = "\(cell.texts) \(cell.refusesCalls ?? "") \(cell.hasCalls)"
            if let tenant = tenants[key] { return tenant }
            let tenant = try installation.tenant("cells\(tenants.count)")
            tenants[key] = tenant
            try installation.setChannel(tenant, "apns", apple.settings)
            try installation.setChannel(
                tenant, "email", ["host": "localhost", "port": mail.port, "from": "care@cells.example"])
            try installation.sendTexts(of: tenant, to: providers.url(cell.texts))
            if cell.hasCalls {
                let account = "https://localhost:\(twilio.port)/2010-04-01/Accounts/AC1"
                try installation.setChannel(
                    tenant, "voice",
                    [
                        "url": cell.refusesCalls.map(providers.url) ?? "\(account)/Calls.json", "from": "+15005550006",
                        "to_field": "To", "from_field": "From", "text_field": "Text", "callback_field": "Url",
                        "id_field": "sid", "username": "AC1", "password": Self.token,
                        "inbound": ["signature": "twilio", "secret": Self.token],
                    ])
            }
            return tenant
        }

        /// Alice of a cell calls for help, of which Bob is told; Bob.
        func callForHelp(_ cell: Cell, _ n: Int) async throws -> Person {
            let tenant = try tenant(of: cell)
            let alice = try await Person.join(tenant, as: "Alice", client)
            let bob = try await Person.join(tenant, as: "Bob", client)
            try await alice.becomeSender()
            _ = try await alice.connect(bob.becomeReceiver().code)
            let session = try installation.session()
            try session.execute(
                """
                update kith.notifications set delivery_status = 'dropped', planned_at = \(Day.sql)
                where user_id in ('\(alice.id.text)', '\(bob.id.text)')
                """)
            if let phone = cell.phone {
                let number = "+4915112\(String(n + 1000).suffix(3))0\(phone.rawValue)"
                try session.execute(
                    "update kith.users set phone = '\(number)', phone_verified_at = \(Day.sql) where id = '\(bob.id.text)'"
                )
            }
            if let email = cell.email {
                try session.execute(
                    "update kith.users set email = '\(email)', email_verified_at = \(Day.sql) where id = '\(bob.id.text)'"
                )
            }
            for device in cell.devices {
                let body = #"{"platform":"ios","token":"\#(Apple.device(device))","environment":"sandbox"}"#
                let answer = try await bob.send("PUT", "/v1/me/devices", body)
                try #require(answer.status == 200, "\(answer.text)")
            }
            if let chosen = cell.chosen {
                let body = #"{"preferences":[{"type":"help_requested","channels":["\#(chosen)"]}]}"#
                let answer = try await bob.send("PUT", "/v1/me/notification-preferences", body)
                try #require(answer.status == 200, "\(answer.text)")
            }
            let called = try await alice.send("POST", "/v1/alarms", "{}")
            try #require(called.status == 201, "\(called.text)")
            return bob
        }

        /// Runs a worker `seconds` after `start`, and waits until the provider of calls has said what became of each.
        func deliver(_ seconds: Double, after start: Date) async throws {
            let instant = (start + seconds).formatted(.iso8601)
            try installation.deliver(
                to: providers, at: instant, apple.environment.merging(["KITH_PUBLIC_URL": Self.publicURL]) { $1 })
            _ = try await twilio.waits { log in
                let over = log.count { line in
                    ["completed", "no-answer"].contains((line["fields"] as? [String: String])?["CallStatus"])
                        && line["status"] != nil
                }
                return over == log.count { ($0["path"] as? String)?.hasSuffix("/Calls.json") == true }
            }
        }

        /// What became of the call for help to a receiver, channel by channel.
        func outcome(_ bob: Person) throws -> String {
            try installation.session().query(
                """
                select string_agg(
                  delivery.channel || ' ' || case
                    when delivery.status = 'sent' and internal.is_unheard(delivery.status, delivery.error) then 'unheard'
                    -- The next call, which a key has made pointless: before it was planned, or after.
                    when delivery.status = 'dropped' and delivery.channel = 'voice' then 'queued'
                    else delivery.status
                  end, ', ' order by delivery.created_at, delivery.channel, delivery.status, delivery.id
                )
                from kith.notifications as told
                join kith.deliveries as delivery on delivery.tenant_id = told.tenant_id and delivery.notification_id = told.id
                where told.user_id = $1::uuid and told.type = 'help_requested'
                """, [.text(bob.id.text)]
            ).string(0, 0) ?? "nothing"
        }

        func isUndelivered(_ bob: Person) throws -> Bool {
            try installation.session().query(
                "select exists (select from kith.undelivered_alarms where user_id = $1::uuid and resolved_at is null)",
                [.text(bob.id.text)]
            ).bool(0, 0) == true
        }
    }

    @Test func `reaches its receiver, whatever their channels do`() async throws {
        let house = try House()
        var people: [Person] = []
        for (n, cell) in Self.cells.enumerated() { people.append(try await house.callForHelp(cell, n)) }
        let start = Day.now
        var soon: [String] = []
        for seconds in [1.0, 30, 60, 90, 121, 180, 240, 300] {
            try await house.deliver(seconds, after: start)
            if seconds == 121 { soon = try people.map(house.outcome) }
        }
        for (n, cell) in Self.cells.enumerated() {
            let outcome = try house.outcome(people[n])
            #expect(outcome == cell.outcome, "\(cell.name)")
            if let expected = cell.soon { #expect(soon[n] == expected, "\(cell.name), two minutes after the call") }
            let isUndelivered = try house.isUndelivered(people[n])
            #expect(isUndelivered == cell.isUndelivered, "\(cell.name)")
        }
        #expect(Self.cells.count >= 30)
        // What counts as sent has come to a stand-in.
        let sent = try house.installation.session().query(
            """
            select delivery.channel, count(*) from kith.deliveries as delivery
            where delivery.status = 'sent' and delivery.purpose = 'notification' group by delivery.channel
            """)
        let counts = Dictionary(
            uniqueKeysWithValues: (0..<sent.rowCount).map { (sent.string($0, 0) ?? "", sent.int($0, 1) ?? 0) })
        #expect(try house.apple.server.log.count { $0["status"] as? Int == 200 } == counts["apns"])
        #expect(try house.mail.log.count { $0["recipients"] != nil } == counts["email"])
        #expect(
            try house.twilio.log.count { ($0["path"] as? String)?.hasSuffix("/Calls.json") == true } == counts["voice"])
    }
}
