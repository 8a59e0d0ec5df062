import Foundation
import KithClient
import TestThreads
import Testing

/// The events of what happens in a vault. Each test has an installation of its own, so that no other test's transaction
/// delays its events.
@Suite(.mayBlock, .timeLimit(.minutes(5))) struct `The events of a vault` {
    private let installation: Installation
    private let server: KithProcess
    private let client: APIClient

    init() throws {
        installation = try Installation()
        (server, client) = try installation.serve()
    }

    @Test func `show a message to both sides and on the writer's other devices, and that it was read`() async throws {
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        let nominee = try await bob.becomeNominee(of: vault, by: alice)
        let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
        let (phone, tablet, bobs) = (try await alice.listen(), try await alice.listen(), try await bob.listen())
        let sent: Kith.Message = try await alice.get("POST", path, #"{"body":"The papers are in."}"#, status: 201)
        for stream in [phone, tablet, bobs] {
            let event = try await stream.next("message")
            #expect(event.subject == sent.id.text)
            #expect(event.data["body"] == "The papers are in.")
            #expect(event.data["vault_id"]?.string == vault.id.text)
            #expect(event.data["nominee_id"]?.string == nominee.id.text)
        }
        #expect(try await bob.send("POST", path + "/read").status == 204)
        for stream in [phone, tablet] {
            let receipt = try await stream.next("conversation")
            #expect(receipt.subject == nominee.id.text)
            #expect(receipt.data["read_until"]?.string == sent.id.text)
            #expect(receipt.data["role"] == "owner")
        }
        let own = try await bobs.next("conversation")
        #expect(own.data["unread_count"] == .number(0))
        #expect(own.data["role"] == "nominee")
    }

    @Test func `show a document to the owner and to those inside, and to nobody else`() async throws {
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let vault = try await alice.makeVault()
        try await bob.becomeNominee(of: vault, by: alice)
        try await carol.becomeNominee(of: vault, by: alice)
        try await alice.open(vault)
        try await bob.open(vault)
        let (alices, bobs, carols) = (try await alice.listen(), try await bob.listen(), try await carol.listen())
        let added = try await client.send(
            "POST", "/v1/vaults/\(vault.id)/documents?name=Will", content: Data("All to Bob".utf8), type: "text/plain",
            as: alice.token)
        let path = "/v1/vaults/\(vault.id)/documents/\(try added.decode(Kith.Document.self).id)"
        for stream in [alices, bobs] {
            #expect(try await stream.next("document").data == JSON(alice.send("GET", path).body))
        }
        #expect(try await alice.send("PATCH", path, #"{"name":"Last will"}"#).status == 200)
        for stream in [alices, bobs] { #expect(try await stream.next("document").data["name"] == "Last will") }
        #expect(try await alice.send("DELETE", path).status == 204)
        for stream in [alices, bobs] { #expect(try await stream.next("document").data["status"] == "deleted") }
        #expect(try await alice.send("POST", path + "/restore").status == 200)
        for stream in [alices, bobs] { #expect(try await stream.next("document").data["name"] == "Last will") }
        // Carol has not entered. She is told that the vault was locked, and of nothing before.
        #expect(try await alice.send("POST", "/v1/vaults/\(vault.id)/lock").status == 200)
        while true {
            let event = try #require(try await carols.next())
            #expect(event.type != "document")
            if event.type == "session", event.data["lock_reason"] == "manual" { break }
        }
    }
}
