import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A connection that needs consent` {
    /// Alice, a sender, and Bob, a receiver, of a tenant that requires consent.
    private func people(_ slug: String) async throws -> (alice: Person, bob: Person) {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant(slug)
        let set = try await client.send("PATCH", "/v1/tenant", #"{"requires_consent":true}"#, as: tenant.secretKey)
        guard set.status == 200 else { throw KithProcess.Failure(description: set.text) }
        let alice = try await Person.join(tenant, as: "Alice", client)
        let bob = try await Person.join(tenant, as: "Bob", client)
        return (alice, bob)
    }

    @Test func `asks the code's owner, hides the pings from the receiver, and tells the other side of the consent`()
        async throws
    {
        let (alice, bob) = try await people("consenting")
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let path = "/v1/connections/\(connection.id.text)"
        #expect(connection.status == .pending)
        #expect(connection.consentBy == .counterpart)
        #expect(connection.todayPing != nil)
        let seen: Kith.Connection = try await bob.get("GET", path)
        #expect(seen.consentBy == .me)
        #expect(seen.todayPing == nil)
        #expect(seen.pingTime == nil)
        let waiting: Kith.ConnectionPage = try await bob.get("GET", "/v1/connections?status=pending")
        #expect(waiting.items.map(\.id) == [seen.id] && waiting.items.map(\.consentBy) == [.me])

        let _: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", "{}")
        let asked = try await bob.notifications()
        #expect(asked.map(\.type) == ["connection_requested"])
        #expect(asked.map(\.title) == ["Connection Request"])
        #expect(asked.map(\.body) == ["Alice wants to send you pings"])
        #expect(asked.first?.data["about"]?["type"] == "connection")
        #expect(asked.first?.data["about"]?["id"] == .string(connection.id.text))
        #expect(try await alice.notifications().isEmpty)

        #expect(try await alice.send("POST", "\(path)/consent").status == 403)
        let consented: Kith.Connection = try await bob.get("POST", "\(path)/consent")
        #expect(consented.status == .active)
        #expect(consented.consentBy == nil)
        #expect(consented.pingTime == "11:00")
        #expect(consented.timeZone == "UTC")
        let told = try await alice.notifications()
        #expect(told.map(\.type) == ["connection_accepted"])
        #expect(told.map(\.title) == ["Connection Accepted"])
        #expect(told.map(\.body) == ["Bob accepted your connection"])
        #expect(try await bob.notifications().count == 1)
        let left: Kith.ConnectionPage = try await bob.get("GET", "/v1/connections?status=pending")
        #expect(left.items.isEmpty)
        let active: Kith.ConnectionPage = try await bob.get("GET", "/v1/connections?status=active")
        #expect(active.items.map(\.id) == [connection.id])
    }

    @Test func `asks the sender if a receiver uses the sender's code, and is refused by removing it`() async throws {
        let (alice, bob) = try await people("refusing")
        let code = try await alice.becomeSender().code
        try await bob.becomeReceiver()
        let connection = try await bob.connect(code)
        #expect(connection.consentBy == .counterpart)
        #expect(try await alice.notifications().map(\.body) == ["Bob wants to receive your pings"])
        #expect(try await alice.send("DELETE", "/v1/connections/\(connection.id.text)").status == 204)
        #expect(try await bob.notifications().map(\.type) == ["connection_removed"])
        let left: Kith.ConnectionPage = try await bob.get("GET", "/v1/connections")
        #expect(left.items.isEmpty)
    }
}
