import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `A sign-in link of the tenant's server` {
    @Test func `shows whom it signs in, and signs in once`() async throws {
        let alice = try await WebPerson.join("Alice")
        let link = try await alice.link(#","next":"/me""#)
        let web = WebVisitor(alice.house.client)
        // Scanners of mail and previews open links, too.
        for _ in 0..<3 {
            let answer = try await alice.house.client.exchange("GET", link)
            #expect(answer.status == 200 && answer.text.contains("Continue as Alice?"))
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(
                answer.headers["referrer-policy"] == "no-referrer" || answer.headers["referrer-policy"] == "same-origin"
            )
        }
        try await web.open(link)
        #expect(web.page.heading == "Continue as Alice?")
        #expect(web.cookies["kith"] == nil, "nobody is signed in yet")
        let form = try #require(web.page.form(with: "continue"))
        try await web.press("continue")
        #expect(web.page.path == "/me", "\(web.page.text)")
        #expect(web.page.text.contains("Alice"))
        // The person who is signed in is led on.
        #expect(try await web.open(link).path == "/me")
        let second = WebVisitor(alice.house.client)
        try await second.open(link)
        #expect(second.page.status == 410)
        #expect(second.page.heading == "This link no longer works")
        // A form that was open already finds the link used up.
        try await alice.web.open("/me")
        try await web.open("/me")
        try await web.press("sign-out")
        try await web.send(form, "continue")
        #expect(web.page.status == 410)
        #expect(web.cookies["kith"] == "acme.")
    }

    @Test func `signs in one of two browsers that confirm at once`() async throws {
        let alice = try await WebPerson.join("Alice")
        let link = try await alice.link()
        let browsers = (0..<4).map { _ in WebVisitor(alice.house.client) }
        for web in browsers { try await web.open(link) }
        var requests: [(form: String, cookie: String, action: String)] = []
        for web in browsers {
            let form = try #require(web.page.form(with: "continue"))
            let fields = form.fields + [("act", "continue")]
            requests.append(
                (
                    fields.formBody,
                    web.cookieField, form.action
                ))
        }
        let client = alice.house.client
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for request in requests {
                group.addTask {
                    try await client.exchange(
                        "POST", request.action, request.form,
                        headers: [
                            "Content-Type": "application/x-www-form-urlencoded", "Cookie": request.cookie,
                        ]
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == [303, 410, 410, 410])
    }

    @Test func `forgives the browser that lost the answer, or pressed the button twice`() async throws {
        let alice = try await WebPerson.join("Alice")
        let web = WebVisitor(alice.house.client)
        try await web.open(alice.link())
        let form = try #require(web.page.form(with: "continue"))
        let cookie = web.cookieField
        let body = (form.fields + [("act", "continue")]).formBody
        var given: Set<String?> = []
        for _ in 0..<2 {
            let answer = try await alice.house.client.exchange(
                "POST", form.action, body,
                headers: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie])
            #expect(answer.status == 303)
            given.insert(answer.headers["set-cookie"])
        }
        #expect(given.count == 1, "it is the same sign-in")
    }

    @Test func `is opened within a minute, and confirmed within ten by that browser alone`() async throws {
        let alice = try await WebPerson.join("Alice")
        let installation = alice.house.installation
        func server(ahead seconds: Int) throws -> (KithProcess, APIClient) {
            try installation.serve(["KITH_CLOCK_OFFSET": "\(Day.offset + seconds)"])
        }
        let (later, laterClient) = try server(ahead: 120)
        let (muchLater, lastClient) = try server(ahead: 700)
        defer {
            later.signal(SIGTERM)
            muchLater.signal(SIGTERM)
        }
        let web = WebVisitor(alice.house.client)
        try await web.open(alice.link())
        let form = try #require(web.page.form(with: "continue"))
        let cookie = web.cookieField
        let body = (form.fields + [("act", "continue")]).formBody
        func send(_ client: APIClient, cookie: String, site: String = "same-origin") async throws -> Int {
            try await client.exchange(
                "POST", form.action, body,
                headers: [
                    "Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie, "Sec-Fetch-Site": site,
                ]
            ).status
        }
        #expect(try await laterClient.exchange("GET", form.action + "?t=acme").status == 410)
        #expect(try await lastClient.exchange("GET", form.action + "?t=acme").status == 410)
        // Another browser's form, in time and too late, another site's, and a browser that is too slow.
        let stranger = WebVisitor(alice.house.client)
        try await stranger.open("/?t=acme")
        let other = stranger.cookieField
        #expect(try await send(alice.house.client, cookie: other) == 403)
        #expect(try await send(laterClient, cookie: other) == 410)
        #expect(try await send(alice.house.client, cookie: cookie, site: "cross-site") == 403)
        #expect(try await send(lastClient, cookie: cookie) == 410)
        #expect(try await send(laterClient, cookie: cookie) == 303, "a person who reads slowly")
    }

    @Test func `is good for its tenant alone, and leads to no other site`() async throws {
        let alice = try await WebPerson.join("Alice")
        let link = try await alice.link()
        let path = try #require(link.split(separator: "?").first)
        #expect(try await alice.house.client.exchange("GET", "\(path)?t=globex").status == 410)
        #expect(try await alice.house.client.exchange("GET", "\(path)x?t=acme").status == 410)
        for next in ["//evil.example", "https://evil.example", #"/\\evil.example"#, "today"] {
            let answer = try await alice.house.client.send(
                "POST", "/v1/sign-in-links", #"{"user_id":"\#(alice.person.id.text)","next":"\#(next)"}"#,
                as: alice.house.installation.acme.secretKey)
            #expect(answer.status == 422, "\(next)")
        }
        let web = WebVisitor(alice.house.client)
        try await web.open("\(path)?t=acme&next=//evil.example")
        try await web.press("continue")
        #expect(web.page.path == "/today")
    }

    @Test func `names whoever is signed in already, and takes their place`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let before = try #require(bob.web.cookies["kith"])
        try await bob.web.open(alice.link())
        #expect(bob.web.page.text.contains("Another account is signed in in this browser."))
        try await bob.web.press("continue")
        #expect(bob.web.page.path == "/today")
        #expect(try await bob.web.open("/me").text.contains("Alice"))
        // Bob's sign-in has ended for good, not only here.
        let answer = try await alice.house.client.exchange("GET", "/today", headers: ["Cookie": "kith=\(before)"])
        #expect(answer.status == 303 && answer.headers["location"]?.hasPrefix("/sign-in") == true)
    }

    @Test func `needs a key with the scope, a user of the tenant, and a tenant that is not suspended`() async throws {
        let alice = try await WebPerson.join("Alice")
        let (client, installation) = (alice.house.client, alice.house.installation)
        func make(_ user: String, as key: String) async throws -> Int {
            try await client.send("POST", "/v1/sign-in-links", #"{"user_id":"\#(user)"}"#, as: key).status
        }
        let scoped: Kith.NewAPIKey = try await client.get(
            "POST", "/v1/tenant/api-keys", #"{"name":"read","scopes":["users","read","settings"]}"#,
            as: installation.acme.secretKey, status: 201)
        #expect(try await make(alice.person.id.text, as: scoped.secretKey) == 403)
        #expect(try await make(UUID().text, as: installation.acme.secretKey) == 404)
        #expect(try await make(alice.person.id.text, as: installation.globex.secretKey) == 404)
        #expect(try await make(alice.person.id.text, as: alice.person.token) == 403)
        // The account ends between the link and its use.
        let web = WebVisitor(client)
        try await web.open(alice.link())
        #expect(
            try await client.send("DELETE", "/v1/users/\(alice.person.id.text)", as: installation.acme.secretKey).status
                == 204)
        try await web.press("continue")
        #expect(web.page.status == 410)
    }

    @Test func `begins at the tenant's own sign-in, to which the web client leads`() async throws {
        let house = try SignInHouse()
        let client = house.client
        let key = house.installation.acme.secretKey
        func set(_ url: String) async throws -> Int {
            try await client.send("PATCH", "/v1/tenant", #"{"sign_in_url":\#(url)}"#, as: key).status
        }
        #expect(try await set(#""http://acme.example/login""#) == 422)
        #expect(try await set(#""https://acme.example/login?from=kith""#) == 200)
        let web = WebVisitor(client)
        try await web.open("/me?t=acme")
        #expect(web.page.path.hasPrefix("/sign-in?next="))
        let way = try #require(web.page.html.firstMatch(of: /href="(https:\/\/acme.example[^"]*)"/)).1.description
            .unescaped
        #expect(way == "https://acme.example/login?from=kith&next=%2Fme%3Ft%3Dacme")
        #expect(web.page.text.contains("Sign in with"))
        #expect(web.page.form(with: "code") != nil, "a code works as well")
        #expect(try await client.exchange("GET", "/sign-in/link/x?t=acme").text.contains("https://acme.example/login"))
        #expect(try await set("null") == 200)
        #expect(try await !web.open("/sign-in?t=acme").html.contains("acme.example"))
    }
}
