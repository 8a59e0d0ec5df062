import Counterparts
import Foundation
import Postgres
import TestThreads
import Testing

/// A tenant's canary (G10), from the command to its endpoint, its number, and its death. The rules are tested in
/// Tests/SQL/canaries.sql, and what leaves it out in Tests/SQL/canary_hidden.sql.
@Suite(.mayBlock, .serialized) struct `A canary` {
    private static let number = "+4915112345679"
    private let installation: Installation
    private let providers: Providers

    init() throws {
        installation = try Installation(offset: nil, cells: 1)
        providers = try Providers()
    }

    private func canary(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try KithProcess.run(
            ["canary"] + arguments, environment: installation.environment.merging(providers.environment) { $1 })
    }

    /// The instant `seconds` after the canary of acme, which has just been set, asks for the first time.
    private func slot(_ seconds: Int) throws -> String {
        let found = try installation.session().query(
            """
            select internal.instant(
              internal.canary_slot(minute, every_hours, created_at) + make_interval(hours => every_hours, secs => $1::integer)
            ) from kith.canaries
            """, [.int(seconds)])
        return try #require(found.string(0, 0))
    }

    private func arrival(_ channel: String) throws -> String {
        let found = try installation.session().query(
            """
            select concat_ws(' ', outcome, case when taken_at is not null then 'taken' end, case when heard_at is not null then 'heard' end)
            from admin.canary_runs where channel = $1 order by asks_at desc limit 1
            """, [.text(channel)])
        return found.rowCount == 0 ? "none" : try #require(found.string(0, 0))
    }

    private func openAlarms() throws -> Int? {
        try installation.session().query("select count(*)::integer from kith.alarms where resolved_at is null").int(
            0, 0)
    }

    /// Runs a worker at the question, at the miss, and when the provider has answered.
    private func walk() throws {
        for seconds in [0, 310, 320] { try installation.deliver(to: providers, at: slot(seconds)) }
    }

    @Test func `walks the whole way to its endpoint, and no other endpoint hears of it`() async throws {
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        for name in ["own", "canary"] { try providers.make(name, behaveAs: "/status/200") }
        let own = try await client.send(
            "POST", "/v1/tenant/webhooks", #"{"url":"\#(providers.url("/named/own"))"}"#,
            as: installation.acme.secretKey)
        #expect(own.status == 201, "\(own.text)")
        let set = try canary("set", "acme", "--every", "1h", "--webhook", providers.url("/named/canary"))
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.contains("acme has a canary on webhook; the first run asks at "), "\(set.output)")
        #expect(set.output.contains(/webhook_secret=whsec_[A-Za-z0-9+\/=]{44}/), "\(set.output)")

        try walk()
        #expect(try arrival("webhook") == "arrived taken heard")
        #expect(try openAlarms() == 0)
        let heard = try providers.requests(to: "/named/canary")
        #expect(heard.count == 1)
        let body = try #require(heard.first?["body"] as? String)
        #expect(body.contains(#""type" : "notification""#) && body.contains("ping_missed"), "\(body)")
        #expect(
            try #require(heard.first?["headers"] as? [String: String])["webhook-signature"]?.hasPrefix("v1,") == true)
        #expect(try providers.requests(to: "/named/own").isEmpty, "the tenant's own endpoint is not told")
        let listed = try await client.send("GET", "/v1/tenant/webhooks", as: installation.acme.secretKey)
        #expect(!listed.text.contains("canary"), "\(listed.text)")

        let shown = try canary("show", "acme")
        #expect(shown.output.contains("channel=webhook") && shown.output.contains("outcome=arrived"), "\(shown.output)")
        let metrics = try installation.session().query(
            "select api.canary_metrics($1::timestamptz)", [.text(slot(330))])
        #expect(try #require(metrics.string(0, 0)).contains(#""overdue_seconds" : 0"#), "\(metrics.string(0, 0) ?? "")")

        let removed = try canary("remove", "acme")
        #expect(removed.output == "removed: webhook; its contacts and messages are forgotten\n", "\(removed.errors)")
        #expect(try canary("list").output == "")
        #expect(try canary("remove", "acme").status == 1)
    }

    @Test func `dies if its endpoint fails, and that is no failure of the tenant's`() throws {
        try providers.make("canary", behaveAs: "/status/500")
        #expect(try canary("set", "acme", "--every", "1h", "--webhook", providers.url("/named/canary")).status == 0)
        try walk()
        #expect(try arrival("webhook") == "under way")
        try installation.deliver(to: providers, at: slot(1501))
        #expect(try arrival("webhook") == "died")
        let view = try installation.session().query("select count(*)::integer from admin.webhooks")
        #expect(view.int(0, 0) == 0)
    }

    @Test func `dies if its provider accepts a text and swallows it, and is heard dying`() throws {
        try installation.sendTexts(of: installation.acme, to: providers.url("/status/200"))
        let set = try canary("set", "acme", "--every", "1d", "--sms", "0151 12345679")
        #expect(set.status == 64, "a number has its country")
        let named = try canary("set", "acme", "--every", "1d", "--sms", Self.number, "--json")
        #expect(named.output == #"{"tenant":"acme","watches":"sms"}"# + "\n", "\(named.errors)")
        try walk()
        let texts = try providers.sink.log.compactMap(TextMessage.init)
        #expect(texts.map(\.to) == [Self.number], "one text, to the operator's number")
        #expect(texts.first?.text.contains("Canary has not checked in today") == true, "\(texts)")
        let links = try installation.session().query("select string_agg(channel, ' ') from kith.alarm_links")
        #expect(links.string(0, 0) == "sms", "its link is that of a text")
        #expect(try arrival("sms") == "under way taken")
        #expect(try openAlarms() == 1)

        // Nobody has read it.
        try installation.deliver(to: providers, at: slot(1501))
        #expect(try arrival("sms") == "died taken")
        #expect(try openAlarms() == 0)
        #expect(try providers.sink.log.compactMap(TextMessage.init).count == 1, "its end costs nothing")
        let doctor = try KithProcess.run(["doctor"], environment: installation.environment)
        #expect(
            doctor.output.contains("WRONG  canary of acme on sms: its newest run died, not heard"), "\(doctor.output)")
        #expect(doctor.output.contains("open alarms: each has reached one of its people"), "\(doctor.output)")
        let metrics = try installation.session().query(
            "select api.canary_metrics($1::timestamptz) -> 'channels' -> 0 ->> 'overdue_seconds'",
            [.text(slot(1500 + 86_400))])
        #expect(try #require(metrics.string(0, 0).flatMap(Int.init)) > 0)
    }

    @Test func `has no need to be heard where nobody answers`() throws {
        try installation.sendTexts(of: installation.acme, to: providers.url("/status/200"))
        let set = try canary("set", "acme", "--every", "1d", "--sms", Self.number, "--until", "taken")
        #expect(set.status == 0, "\(set.errors)")
        try walk()
        #expect(try arrival("sms") == "arrived taken")
        #expect(try openAlarms() == 0)
    }

    @Test func `is not set on an account that was deleted, and says how it is set again`() throws {
        let arguments = ["set", "acme", "--every", "1d", "--email", "canary@example.com"]
        let command = { (arguments: [String]) in
            try KithProcess.run(["canary"] + arguments, environment: installation.environment)
        }
        #expect(try command(["show", "acme"]).output == "acme has no canary; kith canary set makes one\n")
        #expect(try command(arguments).status == 0)
        #expect(try command(["show", "acme"]).output.contains("has not been asked yet"))
        try installation.session().execute(
            "select admin.delete_user('acme', receiver_id, 'by mistake') from kith.canaries")
        let refused = try command(arguments)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the canary that asks every 24h was deleted"), "\(refused.errors)")
        #expect(refused.errors.contains("kith canary remove acme --channel email"), "\(refused.errors)")
        #expect(try command(["remove", "acme", "--channel", "email"]).status == 0)
        #expect(try command(arguments).status == 0)
    }

    @Test(arguments: [
        ["set", "acme"], ["set", "acme", "--every", "1h"], ["set", "acme", "--every", "5h", "--sms", number],
        ["set", "acme", "--every", "1h", "--webhook", "http://a.example"],
        ["set", "acme", "--every", "1h", "--email", "a"],
        ["set", "acme", "--every", "1h", "--sms", number, "--within", "30m"],
        ["set", "acme", "--every", "1h", "--sms", number, "--until", "read"],
        ["set", "--every", "1h", "--sms", number],
        ["set", "acme", "--every", "1h", "--push", "x", "--environment", "tv"], ["show"], ["remove"], ["sing"], [],
    ])
    func `is not set by halves`(arguments: [String]) throws {
        let refused = try KithProcess.run(["canary"] + arguments, environment: installation.environment)
        #expect(refused.status == 64, "\(refused.errors)")
    }
}
