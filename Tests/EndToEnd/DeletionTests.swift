import Foundation
import KithModel
import Postgres
import Testing

@Suite struct `Ending an account` {
    @Test func `ends what connects it, tells the others, and lets nobody in again`() async throws {
        let (installation, _, client) = try shared.get()
        let (second, other) = try installation.serve()
        defer { second.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice Ampersand", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let _: CheckIn = try await alice.get("POST", "/v1/pings/check-in", #"{"note":"All well"}"#)
        // Another server has seen the token too, and believes it for up to a minute.
        let elsewhere = Person(id: alice.id, token: alice.token, client: other)
        #expect(try await elsewhere.send("GET", "/v1/me").status == 200)

        #expect(try await alice.send("DELETE", "/v1/me").status == 204)

        #expect(try await alice.send("GET", "/v1/me").status == 401)
        #expect(try await alice.send("DELETE", "/v1/me").status == 401)
        #expect(try await elsewhere.send("GET", "/v1/me").code == "not_found")
        #expect(try await elsewhere.send("GET", "/v1/me/export").code == "not_found")
        #expect(
            try await elsewhere.send("PUT", "/v1/me/devices", #"{"platform":"ios","token":"x"}"#).status == 401)
        #expect(try await elsewhere.send("PUT", "/v1/me/receiver-profile", "{}").status == 401)
        #expect(
            try await elsewhere.send("PATCH", "/v1/me", #"{"display_name":"Back"}"#).code == "not_found")

        #expect(
            try await bob.notifications().map(\.body) == [
                "Someone has removed you as a receiver", "Someone checked in.", "Someone is now sending you pings",
            ])
        #expect(try await bob.send("GET", "/v1/connections/\(connection.id)").code == "not_found")
        #expect(
            try await client.send("GET", "/v1/users/\(alice.id)", as: installation.acme.secretKey).code == "not_found")
        let token = try await client.send(
            "POST", "/v1/tokens", #"{"user_id":"\#(alice.id)"}"#, as: installation.acme.secretKey)
        #expect(token.code == "not_found")
    }

    @Test func `by the tenant's server is the same, for its own users only`() async throws {
        let (installation, _, client) = try shared.get()
        let externalID = UUID().uuidString
        let body = #"{"display_name":"Alice","external_id":"\#(externalID)"}"#
        let key = installation.acme.secretKey
        let alice: User = try await client.get("POST", "/v1/users", body, as: key, status: 201)
        let path = "/v1/users/\(alice.id)"
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        #expect(try await bob.send("DELETE", path).code == "forbidden")
        #expect(try await client.send("DELETE", path, as: installation.globex.secretKey).code == "not_found")
        #expect(try await client.send("DELETE", path, as: key).status == 204)
        #expect(try await client.send("DELETE", path, as: key).code == "not_found")
        let successor: User = try await client.get("POST", "/v1/users", body, as: key, status: 201)
        #expect(successor.id != alice.id)
    }

    @Test func `leaves no connection behind that is made at the same moment`() async throws {
        let (installation, _, client) = try shared.get()
        for _ in 0..<10 {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let bob = try await Person.join(installation.acme, as: "Bob", client)
            try await alice.becomeSender()
            let code = try await bob.becomeReceiver().code
            async let connected = alice.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
            async let deleted = bob.send("DELETE", "/v1/me")
            #expect(try await deleted.status == 204)
            #expect([201, 404, 410].contains(try await connected.status))
            let left: Page<Connection> = try await alice.get("GET", "/v1/connections")
            #expect(left.items.isEmpty)
        }
    }
}
