import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// The desk's page, on which a tenant's staff work its alarms (K12).
@Suite(.mayBlock) struct `The desk` {
    /// A new key of the tenant with some scopes.
    private func key(_ scopes: String, of tenant: Installation.Tenant, _ client: APIClient) async throws
        -> (id: String, secret: String)
    {
        let answer = try await client.send(
            "POST", "/v1/tenant/api-keys", #"{"name":"Night desk","scopes":[\#(scopes)]}"#, as: tenant.secretKey)
        let made = try answer.decode([String: JSON].self)
        return (try #require(made["id"]?.string, "\(answer.text)"), try #require(made["secret_key"]?.string))
    }

    /// Somebody who works at a tenant's desk.
    private func staff(_ name: String, _ key: String, _ client: APIClient) async throws -> WebVisitor {
        let web = WebVisitor(client)
        try await web.open("/desk")
        try await web.press("begin", [("by", name), ("secret", key)])
        try #require(web.page.text.contains("You work as \(name)"), "\(web.page.text)")
        return web
    }

    @Test func `lets nobody in without a key for alarms, and shows the key to nobody`() async throws {
        let (installation, _, client) = try shared.get()
        let web = WebVisitor(client)
        try await web.open("/desk")
        #expect(web.page.heading == "The desk" && web.page.status == 200)
        let readOnly = try await key(#""read""#, of: installation.acme, client).secret
        for wrong in ["kith_sk_unknown", readOnly, "ünknown"] {
            try await web.press("begin", [("by", "Dana"), ("secret", wrong)])
            #expect(web.page.status == 422 && web.page.text.contains("This key is not valid any more"), "\(wrong)")
            #expect(!web.page.html.contains(wrong) && web.page.html.contains("value=\"Dana\""))
        }
        let good = try await key(#""alarms""#, of: installation.acme, client)
        try await web.press("begin", [("by", "  "), ("secret", good.secret)])
        #expect(web.page.text.contains("Enter the name under which you work."))
        try await web.press("begin", [("by", "Dana"), ("secret", good.secret)])
        #expect(web.page.text.contains("You work as Dana"))
        #expect(!web.page.html.contains(good.secret) && !web.cookieField.contains(good.secret))
        #expect(web.page.headers["cache-control"] == "no-store")
        // A form of another site, or without its token, does nothing.
        let form = try #require(web.page.form(with: "end-shift"))
        try await web.send(form, "end-shift", headers: ["Sec-Fetch-Site": "cross-site"])
        #expect(web.page.status == 403)
        try await web.send(form, "end-shift", [("form", "00")])
        #expect(web.page.status == 403)
        #expect(try await web.open("/desk").text.contains("You work as Dana"))
        #expect(try await web.open("/desk/nonsense").status == 404)
        // The key ends, and the shift with it.
        let ended = try await client.send(
            "DELETE", "/v1/tenant/api-keys/\(good.id)", as: installation.acme.secretKey)
        #expect(ended.status == 204)
        #expect(try await web.open("/desk").text.contains("Begin my shift"))
    }

    @Test func `says whether alarms arrive, by the tenant's canary`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("canary-\(UUID().uuidString.prefix(8).lowercased())")
        let dana = try await staff("Dana", try await key(#""alarms""#, of: tenant, client).secret, client)
        #expect(try await dana.open("/desk").html.contains("href=\"/desk/canary\""))
        #expect(try await dana.open("/desk/canary").text.contains("Nobody has set this up."))
        let session = try installation.session()
        _ = try session.query(
            """
            select admin.set_canary($1, 24, '{"email": {"address": "canary@example.com"}}', 20, \(Day.sql) - interval '30 hours')
            """, [.text(tenant.slug)])
        #expect(try await dana.open("/desk/canary").text.contains("No alarm has arrived yet, and one should have."))
        try session.execute(
            """
            with begun as (
              insert into kith.canary_runs (tenant_id, canary_id, asks_at, sender_id, deadline_at, dies_at, ended_at)
              select tenant_id, id, at, receiver_id, at + interval '5 minutes', at + interval '25 minutes', at + interval '6 minutes'
              from kith.canaries, (select \(Day.sql) - interval '1 hour') as past (at) where tenant_id = \(tenant.tenantID)
              returning tenant_id, canary_id, asks_at
            )
            insert into kith.canary_arrivals (tenant_id, canary_id, asks_at, channel, needs_heard, outcome)
            select tenant_id, canary_id, asks_at, 'email', true, 'arrived' from begun
            """)
        #expect(
            try await dana.open("/desk/canary").text.contains("E-mail The newest alarm has arrived. It began at 11:"))
        #expect(!dana.page.html.contains("canary@example.com"), "its contact is the operator's")
        try session.execute("update kith.canary_arrivals set outcome = 'died' where tenant_id = \(tenant.tenantID)")
        #expect(try await dana.open("/desk/canary").text.contains("No alarm has arrived yet"))
        let endpoint = ["canary", "set", tenant.slug, "--every", "1h", "--webhook", "https://pager.example/canary"]
        #expect(try KithProcess.run(endpoint, environment: installation.environment).status == 0)
        #expect(
            try await dana.open("/desk/canary").text.contains("The server of whoever operates Kith"),
            "an endpoint of the canary is none of the tenant's")
    }

    @Test func `works an alarm by hand: takes it, hands it over, writes, and ends it by a second thought`() async throws
    {
        let (installation, _, client) = try shared.get()
        let secret = try await key(#""alarms""#, of: installation.acme, client).secret
        let pair = try await Pair(installation.acme, client)
        let dana = try await staff("Dana", secret, client)
        let answer = try await pair.alice.send("POST", "/v1/alarms", #"{"note":"I fell"}"#)
        let id = try #require(try answer.decode([String: JSON].self)["id"]?.string)
        #expect(try await dana.open("/desk").html.contains("/desk/\(id)"))
        #expect(dana.page.html.contains("data-open=\"") && dana.page.text.contains("needs help"))
        try await dana.open("/desk/\(id)")
        #expect(dana.page.text.contains("wrote: I fell") && dana.page.html.contains("href=\"tel:112\""))
        try await dana.press("take")
        #expect(dana.page.text.contains("You are looking after it.") && dana.page.path == "/desk/\(id)")
        func taker() async throws -> String? {
            try await pair.bob.send("GET", "/v1/alarms/\(id)").decode([String: JSON].self)["taken_by"]?["display_name"]?
                .string
        }
        #expect(try await taker() == "Dana")
        let erik = try await staff("Erik", secret, client)
        try await erik.open("/desk/\(id)")
        #expect(erik.page.form(with: "take")?.html.contains("Take over from") == true)
        let over = try #require(erik.page.form(with: "take"))
        for _ in 1...2 { try await erik.send(over, "take") }
        #expect(try await taker() == "Erik")
        try await erik.press("note", [("body", " ")])
        #expect(erik.page.status == 422 && erik.page.text.contains("Write something first."))
        try await erik.press("note", [("body", "A colleague <drives> there")])
        #expect(erik.page.text.contains("A colleague <drives> there"))
        // The sender calls again: what was read before ends nothing.
        try await erik.open("/desk/\(id)?end=safe")
        let end = try #require(erik.page.form(with: "end"))
        #expect(erik.page.text.contains("Say so only if you have seen"))
        #expect(try await pair.alice.send("POST", "/v1/alarms", #"{"note":"It burns"}"#).status < 300)
        try await erik.send(end, "end")
        #expect(erik.page.status == 409 && erik.page.text.contains("They have called for help again"))
        try await erik.open("/desk/\(id)?end=safe")
        try await erik.press("end")
        #expect(erik.page.text.contains("The alarm is over."))
        #expect(try await erik.open("/desk").text.contains("Over since your shift began"))
        let audit = try installation.session().query(
            "select string_agg(action || ' ' || (detail ->> 'by'), ', ' order by id) from kith.audit where subject = '\(id)'"
        )
        #expect(audit.string(0, 0) == "alarm.take Dana, alarm.take Erik, alarm.note Erik, alarm.resolve Erik")
        // Another tenant's desk sees nothing of it.
        let other = try await key(#""alarms""#, of: installation.globex, client).secret
        let mallory = try await staff("Mallory", other, client)
        #expect(!mallory.page.html.contains(id))
        #expect(try await mallory.open("/desk/\(id)").status == 404)
        try await dana.open("/desk")
        try await dana.press("end-shift")
        #expect(dana.page.text.contains("Begin my shift"))
        #expect(try await dana.open("/desk/\(id)").text.contains("Begin my shift"))
    }

    @Test func `is not open on the host of another tenant`() async throws {
        let (installation, _, client) = try shared.get()
        let secret = try await key(#""alarms""#, of: installation.acme, client).secret
        let host = "desk-\(UUID().uuidString.lowercased()).example.com"
        _ = try installation.session().query(
            "update kith.tenants set universal_link_host = '\(host)' where slug = 'globex' and universal_link_host is null"
        )
        let globex = try #require(
            installation.session().query("select universal_link_host from kith.tenants where slug = 'globex'")
                .string(0, 0))
        let dana = try await staff("Dana", secret, client)
        let cookies = dana.cookieField
        let there = WebVisitor(client)
        try await there.open("/desk", headers: ["Host": globex, "Cookie": cookies])
        #expect(there.page.text.contains("Begin my shift") && !there.page.text.contains("You work as Dana"))
        try await there.open("/desk", headers: ["Host": globex])
        try await there.press("begin", [("by", "Dana"), ("secret", secret)], headers: ["Host": globex])
        #expect(there.page.status == 422 && there.page.text.contains("This key is not valid any more"))
        #expect(try await dana.open("/desk").text.contains("You work as Dana"))
    }

    @Test func `shows a new alarm by itself, and rings once`() async throws {
        let (installation, _, client) = try shared.get()
        let secret = try await key(#""alarms""#, of: installation.acme, client).secret
        let pair = try await Pair(installation.acme, client)
        let browser = try Browser(everyHostIs: client.base)
        try browser.open(Browser.address("/desk"))
        #expect(try browser.barriers() == [])
        let _: Bool = try browser.evaluate(
            "by.value = 'Dana'; document.getElementById('secret').value = '\(secret)'; return true")
        try browser.press("button[value=begin]")
        try browser.wait("document.getElementById('desk-sound') && !document.getElementById('desk-sound').hidden")
        try browser.press("#desk-sound")
        try browser.wait("document.body.dataset.rang")
        let before: Int = try browser.evaluate("return Number(document.body.dataset.rang)")
        let answer = try await pair.alice.send("POST", "/v1/alarms", "{}")
        let id = try #require(try answer.decode([String: JSON].self)["id"]?.string)
        try browser.wait("document.querySelector('a[href=\"/desk/\(id)\"]')")
        let after: Int = try browser.evaluate("return Number(document.body.dataset.rang)")
        #expect(after > before)
        #expect(try browser.barriers() == [])
        try browser.open(Browser.address("/desk/\(id)"))
        #expect(try browser.barriers() == [])
        #expect(try browser.findings() == [])
    }
}
