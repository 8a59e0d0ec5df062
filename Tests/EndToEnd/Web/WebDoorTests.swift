import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `The doors of the web client` {
    /// A hundred cookies that other sites of the same domain have set.
    private static let foreign = (0..<100).map { "foreign_\($0)=\($0)" }.joined(separator: "; ")

    private func cookies(_ web: WebVisitor) -> [String: String] { ["Cookie": "\(Self.foreign); \(web.cookieField)"] }

    @Test func `find their cookies among a hundred others`() async throws {
        let alice = try await WebPerson.join("Alice")
        let page = try await alice.house.client.exchange("GET", "/today", headers: cookies(alice.web))
        #expect(page.status == 200)
        // The form of the sign-in is bound to a cookie as well.
        let web = WebVisitor(alice.house.client)
        try await web.open("/sign-in?t=acme")
        let form = try #require(web.page.form(with: "code"))
        let body = (form.fields.filter { $0.0 != "contact" } + [("contact", alice.email), ("act", "code")]).formBody
        let headers = cookies(web).merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
        let answer = try await alice.house.client.exchange("POST", form.action, body, headers: headers)
        #expect(answer.status == 200 && answer.text.contains("Enter your code"))
    }

    @Test func `sign in by one form, however often it is sent`() async throws {
        let alice = try await WebPerson.join("Alice")
        let client = alice.house.client
        for email in [alice.email, "\(UUID().uuidString.lowercased())@example.com"] {
            let web = WebVisitor(client)
            try await web.open("/sign-in?t=acme")
            let before = try alice.house.mailbox.items(for: email).count
            try await web.press("code", [("contact", email)])
            let form = try #require(web.page.form(with: "sign-in"))
            let code = try await alice.house.newCode(to: email, after: before)
            let body = (form.fields.filter { $0.0 != "code" } + [("code", code), ("act", "sign-in")]).formBody
            let headers = ["Content-Type": "application/x-www-form-urlencoded", "Cookie": web.cookieField]
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask { try await client.exchange("POST", form.action, body, headers: headers) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status) == [303, 303, 303], "\(answers.map(\.text))")
            // Whichever answer the browser keeps, it is one sign-in.
            #expect(Set(answers.map { $0.headers["set-cookie"] }).count == 1)
            // Another browser that learns of the form and the code gets nothing by them.
            let other = WebVisitor(client)
            try await other.open("/sign-in?t=acme")
            let token = try #require(other.page.form(with: "code")).fields.first { $0.0 == "form" }?.1 ?? ""
            try await other.send(form, "sign-in", [("code", code), ("form", token)])
            #expect(other.page.status == 401)
        }
    }

    @Test func `let a browser's secret be used in its cookie alone, and no app's token in a cookie`() async throws {
        let alice = try await WebPerson.join("Alice")
        let secret = try #require(alice.web.cookies["kith"]).dropFirst("acme.".count)
        let refreshed = try await alice.house.refresh(String(secret))
        #expect(refreshed.status == 401 && refreshed.text.contains("unauthenticated"))
        #expect(try await alice.web.open("/today").status == 200, "whoever tried it signs nobody out")
        let app = try await alice.house.signIn(alice.email)
        let page = try await alice.house.client.exchange(
            "GET", "/today", headers: ["Cookie": "kith=acme.\(app.refreshToken)"])
        #expect(page.status == 303 && page.headers["location"]?.hasPrefix("/sign-in") == true)
        #expect(try await alice.house.refresh(app.refreshToken).status == 200)
    }

    @Test func `know no sign-in on the host of another tenant`() async throws {
        let alice = try await WebPerson.join("Alice")
        let (client, installation) = (alice.house.client, alice.house.installation)
        let (own, others) = (
            "own-\(UUID().uuidString.lowercased()).example", "other-\(UUID().uuidString.lowercased()).example"
        )
        _ = try installation.tenant("others", host: others)
        // On any other host than this machine the cookies have another name.
        let cookie = "__Host-kith=\(try #require(alice.web.cookies["kith"]))"
        func status(_ host: String, _ path: String = "/today") async throws -> Int {
            try await client.exchange("GET", path, headers: ["Host": host, "Cookie": cookie]).status
        }
        #expect(try await status(own) == 200, "a host of nobody")
        for host in [others, "\(others.uppercased()):80", "\(others).", "\(others).:443"] {
            #expect(try await status(host) == 303, "\(host)")
        }
        #expect(try await status(others, "/live/session") == 401)
        #expect(try await status(own) == 200)
    }

    /// While two releases serve, a page of one asks the other for its files.
    @Test func `serve this release's files under the addresses of another, and let nobody keep them`() async throws {
        let client = try webHouse.get().client
        let page = try await client.exchange("GET", "/?t=acme")
        let own = Set(page.text.matches(of: /\/assets\/[a-z0-9-]+-[0-9a-f]{16}\.[a-z]+/).map { String($0.0) })
        #expect(own.contains { $0.hasSuffix(".css") } && own.contains { $0.hasSuffix(".js") })
        for path in own {
            let other = path.replacing(/[0-9a-f]{16}/, with: "0123456789abcdef")
            let (exact, answer) = (try await client.exchange("GET", path), try await client.exchange("GET", other))
            #expect(answer.status == 200 && answer.body == exact.body, "\(other)")
            #expect(answer.headers["content-type"] == exact.headers["content-type"])
            #expect(exact.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(answer.headers["cache-control"] == "no-store")
        }
        for path in ["/assets/kith.css", "/assets/other-0123456789abcdef.css", "/assets/kith-0123456789abcdef.png"] {
            #expect(try await client.exchange("GET", path).status == 404, "\(path)")
        }
    }
}
