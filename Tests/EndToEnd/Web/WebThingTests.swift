import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Buttons and sensors on the web` {
    /// Adds a thing and returns the address that is shown once.
    private func add(
        _ name: String, _ kind: String, _ alice: WebPerson, _ more: [(String, String)] = []
    ) async throws -> String {
        try await alice.web.open("/me/things")
        try await alice.web.press("add", [("name", name), ("kind", kind)] + more)
        #expect(alice.web.page.status == 200, "\(alice.web.page.text)")
        let url = try #require(alice.web.page.html.firstMatch(of: /value="([^"]*\/s\/[^"]*)"/)?.1)
        return String(url)
    }

    private func report(_ url: String, _ alice: WebPerson, by method: String = "POST") async throws -> Int {
        let path = try #require(url.firstRange(of: "/s/").map { String(url[$0.lowerBound...]) })
        return try await alice.house.client.exchange(method, path).status
    }

    @Test func `have an address that is shown once, and show activity to those who may see it`() async throws {
        let (alice, bob, connection) = try await WebPerson.pair()
        #expect(try await alice.web.open("/me").html.contains("/me/things"))
        #expect(try await alice.web.open("/me/things").text.contains("Nothing reports for you yet."))
        let name = "<b>front</b> door"
        let url = try await add(name, "activity", alice)
        #expect(alice.web.page.text.contains("You see this address only now."))
        #expect(alice.web.page.text.contains("curl -X POST \(url)"))
        #expect(alice.web.page.html.contains("data-copy=\"\(url)\""))
        #expect(!alice.web.page.html.contains("<b>front"))
        #expect(alice.web.page.headers["cache-control"] == "no-store")
        let list = try await alice.web.open("/me/things")
        #expect(!list.html.contains("/s/"))
        #expect(list.text.contains("Has not reported yet"))
        #expect(try await report(url, alice, by: "GET") == 405)
        #expect(try await report(url, alice) == 200)
        #expect(try await alice.web.open("/me/things").text.contains(/Last reported at [0-9]{2}:[0-9]{2}/))
        // It is no check-in, and nobody sees it unasked.
        #expect(try await alice.web.open("/today").heading == "Let your receivers know you’re safe.")
        #expect(!(try await bob.web.open("/today").text.contains("Last sign of activity")))
        let person = "/people/\(connection.id.text)"
        try await alice.web.open(person)
        try await alice.web.press("share", [("share_activity", "on")])
        #expect(alice.web.page.text.contains("Saved."))
        #expect(try #require(alice.web.page.form(with: "share")).fields.contains { $0.0 == "share_activity" })
        // What was reported before it was shared stays the sender's. The next report is shown, however soon it comes.
        #expect(!(try await bob.web.open(person).text.contains("Last sign of activity")))
        #expect(try await report(url, alice) == 200)
        for path in ["/today", person] {
            let seen = try await bob.web.open(path)
            #expect(seen.text.contains(/Last sign of activity [0-9]{2}:[0-9]{2}, <b>front<\/b> door/), "\(seen.text)")
            #expect(!seen.html.contains("<b>front"))
        }
        // The receiver has nothing to set here.
        #expect(bob.web.page.form(with: "share") == nil)
        try await alice.web.open(person)
        let form = try #require(alice.web.page.form(with: "share"))
        let unset = WebPage.Form(
            action: form.action, html: form.html, fields: form.fields.filter { $0.0 != "share_activity" })
        try await alice.web.send(unset, "share")
        #expect(!(try await bob.web.open(person).text.contains("Last sign of activity")))
        // Removing asks first.
        try await alice.web.open("/me/things")
        let remove = try #require(alice.web.page.html.firstMatch(of: /href="(\/me\/things\/[^"]*\/remove)"/)?.1)
        try await alice.web.open(String(remove))
        #expect(alice.web.page.heading == "Remove \(name)?")
        let question = try #require(alice.web.page.form(with: "remove"))
        for _ in 0..<2 {
            try await alice.web.send(question, "remove")
            #expect(alice.web.page.text.contains("It is removed, and its address no longer works."))
        }
        #expect(try await alice.web.open("/me/things").text.contains("Nothing reports for you yet."))
        #expect(try await alice.web.open(String(remove)).status == 404)
        #expect(try await bob.web.open("/me/things").text.contains("Nothing reports for you yet."))
    }

    @Test func `check in where a person presses them, and say so`() async throws {
        let (alice, bob, connection) = try await WebPerson.pair()
        try await alice.web.open("/me/things")
        let form = try #require(alice.web.page.form(with: "add"))
        var urls: Set<String> = []
        for _ in 0..<2 {
            try await alice.web.send(form, "add", [("name", "Kitchen"), ("kind", "check_in"), ("allow_get", "on")])
            urls.insert(String(try #require(alice.web.page.html.firstMatch(of: /value="([^"]*\/s\/[^"]*)"/)?.1)))
        }
        #expect(urls.count == 1, "a form that is sent twice makes one address")
        let url = try #require(urls.first)
        #expect(!alice.web.page.text.contains("curl -X POST"))
        #expect(try await alice.web.open("/me/things").text.contains("Reports by opening its address too"))
        #expect(try await report(url, alice, by: "GET") == 200)
        let today = try await alice.web.open("/today")
        #expect(today.heading == "You have checked in for today.")
        #expect(today.text.contains("It came by a button or sensor."))
        #expect(try await bob.web.open("/today").text.contains("It came by a button or sensor."))
        #expect(try await bob.web.open("/people/\(connection.id.text)").text.contains("by a button or sensor"))
        // By the website there is nothing to say to receivers, and the sender reads it.
        try await alice.web.press("safe")
        #expect(try await alice.web.open("/people/\(connection.id.text)").text.contains("through this website"))
        #expect(!(try await bob.web.open("/today").text.contains("It came")))
    }

    @Test func `are refused with the reason`() async throws {
        let alice = try await WebPerson.join("Alice")
        try await alice.web.open("/me/things")
        try await alice.web.press("add", [("name", " "), ("kind", "check_in")])
        #expect(alice.web.page.status == 422)
        try await alice.web.open("/me/things")
        try await alice.web.press("add", [("name", "Door"), ("kind", "alarm")])
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.html.contains(#"value="Door""#), "what was typed is kept")
        for number in 1...10 { _ = try await add("Door \(number)", "activity", alice) }
        try await alice.web.open("/me/things")
        try await alice.web.press("add", [("name", "Door 11"), ("kind", "activity")])
        #expect(alice.web.page.status == 507)
        #expect(alice.web.page.text.contains("You can have 10 buttons and sensors. Remove one first."))
    }
}
