import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A block` {
    @Test func `ends the connection between two people silently and refuses new ones`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await alice.becomeSender().code
        let connection = try await alice.connect(bob.becomeReceiver().code)
        let told = try await bob.notifications().count

        let path = "/v1/me/blocks/\(bob.id)"
        #expect(try await alice.send("GET", path).code == "not_found")
        let block: Kith.Block = try await alice.get("PUT", path)
        #expect(block.user.id == bob.id)
        #expect(block.user.displayName == "Bob")
        let again: Kith.Block = try await alice.get("PUT", path)
        #expect(again == block)
        let seen: Kith.Block = try await alice.get("GET", path)
        #expect(seen == block)
        let blocks: Kith.BlockPage = try await alice.get("GET", "/v1/me/blocks")
        #expect(blocks.items == [block])

        #expect(try await bob.send("GET", "/v1/connections/\(connection.id)").code == "not_found")
        #expect(try await bob.notifications().count == told)
        let attempt = try await bob.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
        #expect(attempt.status == 404)
        #expect(attempt.code == "invalid_code")
        #expect(try await bob.send("GET", "/v1/codes/\(code)").code == "invalid_code")
        #expect(try await bob.send("GET", "/v1/me/blocks/\(alice.id)").code == "not_found")
        let own = try await alice.send(
            "POST", "/v1/connections", #"{"code":"\#(try await bob.becomeReceiver().code)"}"#)
        #expect(own.code == "conflict")
        #expect(own.detail == "You have blocked this user.")

        #expect(try await alice.send("DELETE", path).status == 204)
        #expect(try await alice.send("DELETE", path).code == "not_found")
        let left: Kith.ConnectionPage = try await alice.get("GET", "/v1/connections")
        #expect(left.items.isEmpty)
        let back: Kith.Connection = try await bob.get("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
        #expect(back.reactivated == true)
    }

    @Test func `leaves no connection behind that is made at the same moment`() async throws {
        let (installation, _, client) = try shared.get()
        for _ in 0..<10 {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let bob = try await Person.join(installation.acme, as: "Bob", client)
            try await alice.becomeSender()
            let code = try await bob.becomeReceiver().code
            let connection = try await alice.connect(code)
            #expect(try await alice.send("DELETE", "/v1/connections/\(connection.id)").status == 204)
            async let connected = client.patiently {
                try await alice.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
            }
            async let blocked = client.patiently { try await bob.send("PUT", "/v1/me/blocks/\(alice.id)") }
            #expect(try await blocked.status == 200)
            #expect([200, 404].contains(try await connected.status))
            let left: Kith.ConnectionPage = try await alice.get("GET", "/v1/connections")
            #expect(left.items.isEmpty)
        }
    }

    @Test func `can only name somebody the user has been connected with`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        for id in [carol.id, mallory.id, alice.id, UUID()] {
            #expect(try await alice.send("PUT", "/v1/me/blocks/\(id)").code == "not_found")
        }
        #expect(try await alice.send("PUT", "/v1/me/blocks/x").code == "validation_failed")
        #expect(
            try await alice.send("PUT", "/v1/me/blocks/\(carol.id)", #"{"reason":"x"}"#).code == "validation_failed")
    }

    @Test func `appears in a paginated list`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        for number in 0..<5 {
            let sender = try await Person.join(installation.acme, as: "Sender \(number)", client)
            try await sender.becomeSender()
            _ = try await sender.connect(code)
            let _: Kith.Block = try await bob.get("PUT", "/v1/me/blocks/\(sender.id)")
        }
        var names: Set<String> = []
        var cursor: String?
        repeat {
            let page: Kith.BlockPage = try await bob.get(
                "GET", "/v1/me/blocks?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
            #expect(page.items.count <= 2)
            names.formUnion(page.items.map(\.user.displayName))
            cursor = page.nextCursor?.rawValue
        } while cursor != nil
        #expect(names.count == 5)
    }
}
