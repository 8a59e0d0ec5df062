import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A notification` {
    private func work(_ installation: Installation, _ mailbox: Mailbox) throws {
        let result = try KithProcess.run(
            ["worker", "--once"],
            environment: installation.environment.merging(mailbox.environment) { $1 })
        guard result.status == 0 else { throw KithProcess.Failure(description: result.errors) }
    }

    private func device(_ person: Person) async throws -> String {
        let token = UUID().digits
        #expect(
            try await person.send("PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(token)"}"#).status == 200)
        return token
    }

    @Test func `is pushed to the user's phone once, and shows that it was sent`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let mailbox = Mailbox()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let phone = try await device(bob)
        try await alice.becomeSender()
        _ = try await alice.connect(bob.becomeReceiver().code)
        try work(installation, mailbox)
        let pushes = try mailbox.items(for: phone)
        #expect(pushes.map(\.channel) == ["apns"])
        #expect(pushes.first?.subject == "New Connection")
        #expect(pushes.first?.text == "Alice is now sending you pings")
        let list = try await bob.send("GET", "/v1/notifications")
        #expect(list.text.contains(#""delivery_status" : "sent""#), "\(list.text)")
        try work(installation, mailbox)
        #expect(try mailbox.items(for: phone).count == 1)
    }

    @Test func `names people only while they have an account`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let mailbox = Mailbox()
        let alice = try await Person.join(installation.acme, as: "Alice Zander", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let phone = try await device(bob)
        try await alice.becomeSender()
        _ = try await alice.connect(bob.becomeReceiver().code)
        // The delivery is planned, but not yet sent.
        let session = try installation.session()
        try session.execute("select worker.plan_deliveries(\(Day.sql) + interval '1 second', 100, true)")
        #expect(try await alice.send("DELETE", "/v1/me").status == 204)
        try work(installation, mailbox)
        let texts = try mailbox.items(for: phone).map(\.text)
        #expect(texts == ["Someone has removed you as a receiver"], "and what is over is not said any more")
        #expect(!texts.contains { $0.contains("Zander") })
    }

    @Test func `is listed by type, while the count is of all unread ones`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let _: Kith.CheckIn = try await pair.alice.get("POST", "/v1/pings/check-in", "{}")
        try await pair.pause()
        func types(_ query: String) async throws -> [String] {
            let page: Kith.NotificationPage = try await pair.bob.get("GET", "/v1/notifications?\(query)")
            return page.items.map(\.type)
        }
        #expect(
            try await types("type=ping_completed,connection_request") == ["ping_completed", "connection_request"])
        #expect(try await types("type=connection_paused&unread=true") == ["connection_paused"])
        #expect(try await types("type=ping_missed") == [])
        let answer = try await pair.bob.send("GET", "/v1/notifications?type=ping_missed")
        #expect(try JSON(answer.body)["unread_count"]?.number == 3)
        for query in ["type=", "type=nonsense", "type=ping_missed,", "type=ping_missed&type=ping_due"] {
            let refused = try await pair.bob.send("GET", "/v1/notifications?\(query)")
            #expect(refused.status == 422, "\(query)")
            #expect(try refused.decode(Kith.Problem.self).errors?.map(\.field) == ["type"], "\(query)")
        }
    }
}
