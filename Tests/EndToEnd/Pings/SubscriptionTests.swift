import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A receiver's subscription` {
    @Test func `that lapses is announced, stops pings after the grace period, and restores them when renewed`()
        async throws
    {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let key = installation.acme.secretKey
        let settings = try await client.send("PATCH", "/v1/tenant", #"{"subscription_grace_days":10}"#, as: key)
        #expect(settings.status == 200)
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await alice.becomeSender(at: "12:00", grace: 719)
        let connection = try await alice.connect(bob.becomeReceiver().code)
        _ = try await alice.connect(carol.becomeReceiver().code)
        let lapses = Day.instant(86400)
        func subscribe(_ body: String) async throws -> Int {
            try await client.send("PUT", "/v1/users/\(bob.id)/subscription", body, as: key).status
        }
        func told(_ person: Person) async throws -> [String] {
            try await person.notifications().filter { $0.type == "subscription_lapsing" }.map(\.body)
        }
        /// The number of the two connections that have a ping on a date.
        func pings(_ day: Int) async throws -> Int {
            let page: Kith.PingPage = try await alice.get("GET", "/v1/pings?date=\(Day.date(day))")
            return page.items.count
        }
        func seen(_ person: Person) async throws -> Kith.Connection {
            try await person.get("GET", "/v1/connections/\(connection.id)")
        }

        #expect(try await subscribe(#"{"status":"active","expires_at":"\#(lapses)"}"#) == 200)
        try installation.work(at: Day.instant(86400 - 60))
        #expect(try await told(bob) == [])
        let now = Day.instant(86400 + 60)
        let workers = try (0..<3).map { _ in
            try KithProcess(["worker", "--once", "--now", now], environment: installation.environment)
        }
        for worker in workers { #expect(worker.wait() == 0, "\(worker.standardError)") }
        let text = "Pings to Bob stop on \(Day.words(11)) unless the subscription is renewed."
        #expect(try await told(bob) == [text])
        #expect(try await told(alice) == [text])
        #expect(try await told(carol) == [])
        let profile: Kith.ReceiverProfile = try await bob.get("GET", "/v1/me/receiver-profile")
        #expect(profile.pingsStopAt != nil)

        try installation.work(at: Day.date(10) + "T00:00:05Z")
        #expect(try await pings(10) == 2)
        #expect(try await seen(bob).suspendedReason == nil)
        try installation.work(at: Day.instant(11 * 86400 + 60))
        try installation.work(at: Day.date(12) + "T00:00:05Z")
        #expect(try await pings(12) == 1)
        for person in [alice, bob] {
            let connection = try await seen(person)
            #expect(connection.status == .active)
            #expect(connection.suspendedReason == "subscription")
        }
        #expect(try await told(bob).count == 1)

        #expect(try await subscribe(#"{"status":"active"}"#) == 200)
        #expect(try await seen(bob).suspendedReason == nil)
        try installation.work(at: Day.date(13) + "T00:00:05Z")
        #expect(try await pings(13) == 2)
    }

    @Test func `can be set only by the tenant's server`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        _ = try await bob.becomeReceiver()
        let path = "/v1/users/\(bob.id)/subscription"
        let body = #"{"status":"canceled","expires_at":"2030-01-01T00:00:00Z"}"#
        #expect(try await client.send("PUT", path, body).status == 401)
        #expect(try await bob.send("PUT", path, body).code == "forbidden")
        #expect(try await client.send("PUT", path, body, as: installation.globex.secretKey).code == "not_found")
        let key = installation.acme.secretKey
        let sender = try await client.send("PUT", "/v1/users/\(alice.id)/subscription", body, as: key)
        #expect(sender.code == "profile_required")
        #expect(try await client.send("PUT", "/v1/users/\(UUID())/subscription", body, as: key).code == "not_found")
        for (body, field) in [
            (#"{}"#, "status"), (#"{"status":"paid"}"#, "status"), (#"{"status":"trial","until":1}"#, "until"),
            (#"{"status":"trial","expires_at":"tomorrow"}"#, "expires_at"),
        ] {
            let answer = try await client.send("PUT", path, body, as: key)
            #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == [field], "\(body)")
        }
        let answer = try await client.send("PUT", path, body, as: key)
        #expect(answer.text == #"{"status" : "canceled", "expires_at" : "2030-01-01T00:00:00.000000Z"}"#)
    }
}
