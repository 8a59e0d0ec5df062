import Counterparts
import Foundation
import Glibc
import KithClient
import KithServer
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// Alice, whose ping is due at nine in Berlin, and Bob, who receives it, on 10 March 2027.
private struct Family {
    let installation: Installation
    let providers: Providers
    let server: KithProcess
    let client: APIClient
    let alice: Person
    let bob: Person

    static let due = "2027-03-10T08:00:30Z"
    static let reminded = "2027-03-10T09:15:30Z"
    static let missed = "2027-03-10T09:30:11Z"

    init() async throws {
        installation = try Installation()
        providers = try Providers()
        (server, client) = try installation.serve()
        alice = try await Person.join(installation.acme, as: "Alice", client)
        bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender(at: "09:00", zone: "Europe/Berlin", grace: 90)
        _ = try await alice.connect(bob.becomeReceiver().code)
        // These tests do not look at the notification about the new connection.
        try installation.session().execute(
            "update kith.notifications set delivery_status = 'dropped', planned_at = \(Day.sql)")
    }

    /// Gives a person verified contacts.
    func reach(_ person: Person, email: String? = nil, phone: String? = nil) throws {
        _ = try installation.session().query(
            """
            update kith.users set email = $2::text, email_verified_at = case when $2::text is not null then \(Day.sql) end,
              phone = $3::text, phone_verified_at = case when $3::text is not null then \(Day.sql) end
            where id = $1::uuid
            """,
            [
                .text(person.id.uuidString), email.map(PostgresValue.text) ?? .null,
                phone.map(PostgresValue.text) ?? .null,
            ])
    }

    func prefer(_ person: Person, _ type: String, _ channels: String) async throws {
        let answer = try await person.send(
            "PUT", "/v1/me/notification-preferences",
            #"{"preferences":[{"type":"\#(type)","channels":[\#(channels)]}]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Lets a sender be asked in the app alone, so that nobody is told that no message reaches them.
    func askInApp(_ person: Person) throws {
        _ = try installation.session().query(
            """
            insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
            values ($1, $2::uuid, 'ping_due', '{}', \(Day.sql))
            """, [.int(installation.acme.tenantID), .text(person.id.uuidString)])
    }

    /// Registers an address of the sink as a webhook for alarms, created that morning.
    func listen(at url: String) async throws {
        let hook = try await client.send(
            "POST", "/v1/tenant/webhooks", #"{"url":"\#(url)","types":["alarm_undelivered"]}"#,
            as: installation.acme.secretKey)
        #expect(hook.status == 201, "\(hook.text)")
        try installation.session().execute("update kith.webhooks set taken_at = '2027-03-10T00:00:00Z'")
    }

    /// Runs a worker that sends nothing, minute by minute, up to an instant.
    func live(until instant: String) throws {
        for moment in ["2027-03-10T00:00:00Z", Self.due, Self.reminded, Self.missed] where moment <= instant {
            try installation.work(at: moment)
        }
    }

    func deliver(at instant: String, _ more: [String: String] = [:]) throws {
        try installation.deliver(to: providers, at: instant, more)
    }

    /// Why the tenant's provider accepts no messages on a channel, as the tenant's server reads it.
    func error(of channel: Kith.ChannelName) async throws -> String? {
        let channels: Kith.ChannelPage = try await client.get(
            "GET", "/v1/tenant/channels", as: installation.acme.secretKey)
        return channels.items.first { $0.channel == channel }?.error
    }

    /// The state of a person's newest notification of a type: its own status, and each channel's.
    func fate(of type: String, to person: Person) throws -> String {
        try installation.session().query(
            """
            select concat_ws(' ', notification.delivery_status, (
              select string_agg(delivery.channel || '=' || delivery.status, ' ' order by delivery.channel)
              from kith.deliveries as delivery where delivery.notification_id = notification.id
            ))
            from kith.notifications as notification
            where notification.user_id = $1::uuid and notification.type = $2 order by notification.id desc limit 1
            """, [.text(person.id.uuidString), .text(type)]
        ).string(0, 0) ?? "none"
    }

    func psql(_ sql: String) throws -> String {
        let run = try KithProcess.run(
            ["psql", "-AtX", "-v", "ON_ERROR_STOP=1", "-c", sql], environment: installation.home)
        #expect(run.status == 0, "\(run.errors)")
        return run.output
    }
}

@Suite(.mayBlock) struct `Deliveries` {
    @Test func `are retried with the same id, and not before the provider's Retry-After`() async throws {
        let family = try await Family()
        defer { family.server.signal(SIGTERM) }
        try family.askInApp(family.alice)
        try family.reach(family.bob, phone: "+4915112345678")
        try await family.prefer(family.bob, "ping_missed", #""sms""#)
        try family.providers.make("texts", behaveAs: "/retry-after/100/429")
        try family.installation.sendTexts(of: family.installation.acme, to: family.providers.url("/named/texts"))
        try family.live(until: Family.missed)
        try family.deliver(at: Family.missed)
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "queued sms=queued")
        #expect(try await family.error(of: .sms) != nil, "the tenant sees the first failure")
        try family.providers.make("texts", behaveAs: "/status/200")
        try family.deliver(at: "2027-03-10T09:31:40Z")
        #expect(try family.providers.requests(to: "/named/texts").count == 1)
        try family.deliver(at: "2027-03-10T09:32:20Z")
        let texts = try family.providers.requests(to: "/named/texts").compactMap(TextMessage.init)
        #expect(texts.count == 2)
        #expect(texts.first?.id == texts.last?.id)
        #expect(texts.last?.to == "+4915112345678")
        #expect(texts.last?.text.contains("Alice has not checked in today.") == true)
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "sent sms=sent")
        #expect(try await family.error(of: .sms) == nil)
    }

    @Test func `that are refused permanently become dead letters, which an operator can see and replay`() async throws {
        let family = try await Family()
        defer { family.server.signal(SIGTERM) }
        try family.askInApp(family.alice)
        try family.reach(family.bob, phone: "+4915112345678")
        try await family.prefer(family.bob, "ping_missed", #""sms""#)
        try family.providers.make("texts", behaveAs: "/status/400")
        try family.installation.sendTexts(of: family.installation.acme, to: family.providers.url("/named/texts"))
        try family.live(until: Family.missed)
        try family.deliver(at: Family.missed)
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "failed sms=failed")
        let letter = try family.psql("select id, channel, type from admin.dead_letters where tenant = 'acme'")
            .split(separator: "|").map(String.init)
        #expect(letter.dropFirst().joined(separator: "|") == "sms|ping_missed\n")
        try family.providers.make("texts", behaveAs: "/status/200")
        _ = try family.psql(
            "select admin.replay_delivery('acme', '\(letter[0])', 'the provider is back', '2027-03-10T09:44:00Z')")
        #expect(try family.psql("select count(*) from admin.dead_letters") == "0\n")
        try family.deliver(at: "2027-03-10T09:45:00Z")
        let texts = try family.providers.requests(to: "/named/texts").compactMap(TextMessage.init)
        #expect(texts.map(\.id) == [letter[0], letter[0]])
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "sent sms=sent")
    }

    @Test func `wait while an operator has paused their channel, which doctor reports`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        try installation.sendTexts(of: installation.acme, to: providers.url("/status/200"))
        try installation.tell(installation.acme, people: 3, at: Day.instant(-1))
        func psql(_ sql: String) throws {
            #expect(try KithProcess.run(["psql", "-c", sql], environment: installation.home).status == 0)
        }
        try psql("select admin.pause_channel('sms', 'acme', 'the provider asked for it')")
        try installation.deliver(to: providers)
        #expect(try installation.deliveries(of: installation.acme) == ["queued": 3])
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(doctor.output.contains("WRONG  sms of acme is paused: the provider asked for it"), "\(doctor.output)")
        try psql("select admin.resume_channel('sms', 'acme')")
        try installation.deliver(to: providers)
        #expect(try installation.deliveries(of: installation.acme) == ["sent": 3])
    }

    @Test func `wait until quiet hours end, unless they break through`() async throws {
        let family = try await Family()
        defer { family.server.signal(SIGTERM) }
        try family.reach(family.bob, phone: "+4915112345678")
        try await family.prefer(family.bob, "ping_missed", #""sms""#)
        try await family.prefer(family.bob, "connection_paused", #""sms""#)
        let hours = try await family.bob.send("PUT", "/v1/me/quiet-hours", #"{"from":"09:00","until":"15:00"}"#)
        #expect(hours.status == 200)
        try family.installation.session().execute("update kith.users set time_zone = 'UTC'")
        try family.installation.sendTexts(of: family.installation.acme, to: family.providers.url("/status/200"))
        try family.live(until: Family.missed)
        // Notifications from that morning.
        try family.installation.session().execute(
            """
            insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
            select tenant_id, internal.uuid7('\(Family.missed)'), user_id, 'connection_paused', 'Alice has paused their connection with you', '\(Family.missed)'
            from kith.notifications where type = 'ping_missed' and user_id = '\(family.bob.id)'
            """)
        try family.deliver(at: "2027-03-10T09:31:00Z")
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "sent sms=sent")
        #expect(try family.fate(of: "connection_paused", to: family.bob) == "queued sms=queued")
        try family.deliver(at: "2027-03-10T14:59:00Z")
        #expect(try family.fate(of: "connection_paused", to: family.bob) == "queued sms=queued")
        try family.deliver(at: "2027-03-10T15:00:05Z")
        #expect(try family.fate(of: "connection_paused", to: family.bob) == "sent sms=sent")
    }

    @Test func `that ask for a check-in are dropped once the sender has checked in`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        _ = try await alice.connect(bob.becomeReceiver().code)
        _ = try installation.session().query(
            "update kith.users set phone = '+4915112345678', phone_verified_at = \(Day.sql) where id = $1::uuid",
            [.text(alice.id.uuidString)])
        let wish =
            #"{"preferences":[{"type":"ping_due","channels":["sms"]},{"type":"ping_reminder","channels":["sms"]}]}"#
        #expect(try await alice.send("PUT", "/v1/me/notification-preferences", wish).status == 200)
        try installation.session().execute(
            """
            insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
            select tenant_id, internal.uuid7(\(Day.sql)), sender_id, 'ping_reminder', '15 minutes left to check in.',
              jsonb_build_object('date', ping_on, 'connection_id', connection_id), \(Day.sql)
            from kith.pings where status = 'due'
            """)
        try providers.make("texts", behaveAs: "/status/503")
        try installation.sendTexts(of: installation.acme, to: providers.url("/named/texts"))
        try installation.deliver(to: providers)
        #expect(try installation.deliveries(of: installation.acme)["queued"] == 1)
        let checkIn: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", "{}")
        #expect(checkIn.completed == 1)
        try providers.make("texts", behaveAs: "/status/200")
        try installation.deliver(to: providers, at: Day.instant(120))
        #expect(try installation.deliveries(of: installation.acme)["dropped"] == 1)
        #expect(try providers.requests(to: "/named/texts").count == 1, "only the one that failed was sent")
        let told = try installation.session().query(
            "select delivery_status from kith.notifications where type = 'ping_reminder'")
        #expect(told.string(0, 0) == "dropped")
    }

    @Test func `of a missed-ping alarm go by e-mail when the push fails, whatever the receiver's preferences`()
        async throws
    {
        let family = try await Family()
        defer { family.server.signal(SIGTERM) }
        try family.askInApp(family.alice)
        let apple = try Apple(family.providers.certificate)
        let mail = try Counterpart("mail", ["--certificate", family.providers.certificate.pathWithKey])
        try family.reach(family.bob, email: "bob@example.org")
        try await family.prefer(family.bob, "ping_missed", #""push""#)
        let token = Apple.device("410 Unregistered")
        let device = try await family.bob.send(
            "PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(token)","environment":"production"}"#)
        #expect(device.status == 200 || device.status == 201)
        try family.installation.setChannel(family.installation.acme, "apns", apple.settings)
        try family.installation.setChannel(
            family.installation.acme, "email",
            ["host": "localhost", "port": mail.port, "from": "care@acme.example", "from_name": "Acme"])
        try family.live(until: Family.missed)
        // The device was last seen before the push was sent.
        try family.installation.session().execute("update kith.devices set last_seen_at = '2027-03-09T00:00:00Z'")
        try family.deliver(at: Family.missed, apple.environment)
        #expect(try apple.server.log.count == 1)
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "sent apns=failed email=sent")
        let sent = try await mail.waits { !$0.isEmpty && $0.contains { $0["data"] != nil } }
        #expect(sent.first?["recipients"] as? [String] == ["bob@example.org"])
        #expect((sent.first?["data"] as? String)?.contains("Alice has not checked in today.") == true)
        let devices = try family.installation.session().query("select count(*) from kith.devices").int(0, 0)
        #expect(devices == 0, "APNs said that the device is gone")
    }

    @Test func `of a missed-ping alarm that no channel accepts go to the tenant's webhook, then to the operator`()
        async throws
    {
        let family = try await Family()
        defer { family.server.signal(SIGTERM) }
        let mail = try Counterpart("mail", ["--certificate", family.providers.certificate.pathWithKey])
        try family.reach(family.alice, email: "alice@example.org")
        try family.reach(family.bob, email: "rcpt-550-5.1.1@example.org")
        try family.installation.setChannel(
            family.installation.acme, "email",
            ["host": "localhost", "port": mail.port, "from": "care@acme.example", "from_name": "Acme"])
        try family.providers.make("hook", behaveAs: "/status/500")
        try await family.listen(at: family.providers.url("/named/hook"))
        let beat = ["KITH_BEAT_URL": family.providers.url("/named/beat")]
        try family.live(until: Family.missed)
        try family.deliver(at: Family.missed, beat)
        #expect(try family.fate(of: "ping_missed", to: family.bob) == "failed email=failed")
        #expect(try family.fate(of: "ping_missed", to: family.alice) == "sent email=sent")
        let notification = try #require(try await family.bob.notifications().first { $0.type == "ping_missed" })
        let tries = try family.providers.requests(to: "/named/hook")
        #expect(tries.count == 1)
        let told = try #require(tries.first?["body"] as? String)
        #expect(told.contains("alarm_undelivered"))
        await DocumentedAnswers.shared.check(webhook: try JSON(Data(told.utf8)), of: family.client)
        #expect(told.contains(notification.id.text))
        #expect(try family.providers.requests(to: "/named/beat/fail").isEmpty, "the tenant's server has five minutes")
        let doctor = try KithProcess.run(["doctor"], environment: family.installation.home)
        #expect(
            doctor.output.contains("WRONG  messages of alarms that reached their person on no channel: 1"),
            "\(doctor.output)")

        // The tenant's webhook is down. The operator is told until the alarm is seen; otherwise the outside address
        // would take it for resolved.
        try family.deliver(at: "2027-03-10T09:36:00Z", beat)
        let calls = try family.providers.requests(to: "/named/beat/fail")
        #expect(calls.count == 1)
        #expect((calls.first?["body"] as? String)?.contains("alarms that reached nobody: 1") == true)
        #expect((calls.first?["body"] as? String)?.contains(notification.id.text) == true)
        #expect((calls.first?["body"] as? String)?.contains("Alice") == false)
        try family.deliver(at: "2027-03-10T09:37:00Z", beat)
        #expect(try family.providers.requests(to: "/named/beat/fail").count == 2)
        #expect(
            try family.psql("select tenant, type, operator_told_at is not null from admin.undelivered_alarms")
                == "acme|ping_missed|t\n")

        // Bob finally sees the alarm in the app.
        #expect(try await family.bob.send("POST", "/v1/notifications/\(notification.id)/read").status == 204)
        try family.deliver(at: "2027-03-10T09:40:00Z", beat)
        #expect(try family.psql("select count(*) from admin.undelivered_alarms") == "0\n")
        #expect(try family.providers.requests(to: "/named/beat/fail").count == 2)
    }

    @Test func `of a missed-ping alarm end with the tenant's webhook once that has accepted it`() async throws {
        let family = try await Family()
        defer { family.server.signal(SIGTERM) }
        try await family.listen(at: family.providers.url("/named/hook"))
        let beat = ["KITH_BEAT_URL": family.providers.url("/named/beat")]
        try family.live(until: Family.missed)
        // Neither Alice nor Bob has a device or contact.
        for instant in [Family.missed, "2027-03-10T09:31:00Z", "2027-03-10T09:40:00Z"] {
            try family.deliver(at: instant, beat)
        }
        let told = try family.providers.requests(to: "/named/hook")
        #expect(!told.isEmpty)
        #expect(try family.psql("select count(*) from admin.undelivered_alarms where webhook_told_at is null") == "0\n")
        #expect(try family.providers.requests(to: "/named/beat/fail").isEmpty)
    }
}

@Suite(.mayBlock) struct `The beat to an external address` {
    @Test func `reports that all is well, that work is late, and that the database is down`() async throws {
        let installation = try Installation(offset: nil, fsync: true)
        let providers = try Providers()
        func work(beatingAt name: String, _ more: [String: String] = [:]) throws -> KithProcess {
            try KithProcess(
                ["worker"],
                environment: installation.environment.merging(providers.environment) { $1 }
                    .merging(["KITH_BEAT_URL": providers.url("/named/\(name)")]) { $1 }.merging(more) { $1 })
        }
        func firstBeat(_ name: String, of worker: KithProcess) async throws -> (path: String, text: String) {
            let path = "/named/\(name)"
            let log = try await providers.sink.waits { log in
                log.contains { ($0["path"] as? String)?.hasPrefix(path) == true }
            }
            worker.signal(SIGTERM)
            #expect(worker.wait() == 0)
            let beat = log.first { ($0["path"] as? String)?.hasPrefix(path) == true }
            return (beat?["path"] as? String ?? "", beat?["body"] as? String ?? "")
        }
        let well = try await firstBeat("well", of: work(beatingAt: "well"))
        #expect(well.path == "/named/well")
        #expect(well.text.contains("oldest_miss_seconds 0\n"))

        // Nothing plans the notification's deliveries.
        try installation.tell(installation.acme, people: 1, at: (Date() - 3600).formatted(.iso8601))
        // With several cells, the first one may be earlier than the tenants' cell has reported.
        let first = Installation.cells > 1 ? "late/fail" : "late"
        let late = try await firstBeat(first, of: work(beatingAt: "late", ["KITH_DELIVERY": "none"]))
        #expect(late.path == "/named/late/fail")
        #expect(late.text.contains("late: oldest_unplanned_seconds\n"), "\(late.text)")

        try installation.postgres.server.stop()
        let away = try await firstBeat("away", of: work(beatingAt: "away"))
        #expect(away.path == "/named/away/fail")
        #expect(away.text.hasPrefix("the database does not answer"))
        try installation.postgres.server.start()
    }

    @Test func `is logged when it cannot be sent, and stops nothing else`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        let environment = installation.environment.merging(providers.environment) { $1 }
            .merging(["KITH_BEAT_URL": providers.url("/status/500")]) { $1 }
        let worker = try KithProcess(["worker", "--once"], environment: environment)
        #expect(worker.wait() == 0)
        #expect(worker.standardError.contains("KITH_BEAT_URL did not accept the heartbeat: it answered 500"))
    }
}
