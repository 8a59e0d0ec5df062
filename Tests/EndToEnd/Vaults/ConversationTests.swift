import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The list of conversations` {
    private struct House {
        let alice: Person
        let bob: Person
        /// Alice's vault, with Bob, and Bob's, with Alice.
        let papers: Kith.Vault
        let photos: Kith.Vault
        let inPapers: String
        let inPhotos: String

        init() async throws {
            let (installation, _, client) = try shared.get()
            alice = try await Person.join(installation.acme, as: "Alice", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            papers = try await alice.makeVault()
            photos = try await bob.makeVault("Photos")
            let nominee = try await bob.becomeNominee(of: papers, by: alice)
            let other = try await alice.becomeNominee(of: photos, by: bob)
            inPapers = "/v1/vaults/\(papers.id)/nominees/\(nominee.id)/messages"
            inPhotos = "/v1/vaults/\(photos.id)/nominees/\(other.id)/messages"
        }

        func say(_ text: String, _ path: String, by person: Person) async throws -> Kith.Message {
            try await person.get("POST", path, #"{"body":"\#(text)"}"#, status: 201)
        }

        func list(of person: Person, _ query: String = "") async throws -> Kith.ConversationPage {
            try await person.get("GET", "/v1/conversations\(query)")
        }
    }

    @Test func `shows each side the newest message and what is unread, in all vaults`() async throws {
        let house = try await House()
        #expect(try await house.list(of: house.alice).items.isEmpty)
        _ = try await house.say("Hello", house.inPapers, by: house.bob)
        let second = try await house.say("Are you there?", house.inPapers, by: house.bob)
        let third = try await house.say("Look", house.inPhotos, by: house.bob)
        let alices = try await house.list(of: house.alice)
        #expect(alices.unreadCount == 3)
        #expect(alices.items.map(\.vault.name) == ["Photos", "Papers"])
        #expect(alices.items.map(\.role) == [.nominee, .owner])
        #expect(alices.items.map(\.unreadCount) == [1, 2])
        #expect(alices.items.map(\.lastMessage) == [third, second])
        #expect(alices.items.allSatisfy { $0.counterpart.id == house.bob.id && $0.readUntil == nil })
        let bobs = try await house.list(of: house.bob)
        #expect(bobs.unreadCount == 0)
        #expect(bobs.items.map(\.role) == [.owner, .nominee])

        let vaults: Kith.VaultPage = try await house.alice.get("GET", "/v1/vaults?role=owner")
        #expect(vaults.items.map(\.id) == [house.papers.id])
        #expect(vaults.items.first?.counts.unread == 2)
        #expect(try await house.alice.nominees(of: house.papers).items.map(\.unreadCount) == [2])

        #expect(try await house.alice.send("POST", house.inPapers + "/read").status == 204)
        let read = try await house.list(of: house.alice)
        #expect(read.unreadCount == 1)
        #expect(read.items.map(\.unreadCount) == [1, 0])
        #expect(try await house.list(of: house.bob).items.map(\.readUntil) == [nil, second.id])
        _ = try await house.say("Yes", house.inPapers, by: house.alice)
        #expect(try await house.list(of: house.bob).items.map(\.lastMessage.body) == ["Yes", "Look"])
    }

    @Test func `has pages, and loses a conversation with the access to it`() async throws {
        let house = try await House()
        _ = try await house.say("Hello", house.inPapers, by: house.bob)
        _ = try await house.say("Look", house.inPhotos, by: house.bob)
        let first = try await house.list(of: house.alice, "?limit=1")
        #expect(first.items.map(\.vault.name) == ["Photos"])
        #expect(first.unreadCount == 2)
        let cursor = try #require(first.nextCursor)
        let last = try await house.list(of: house.alice, "?limit=1&cursor=\(cursor)")
        #expect(last.items.map(\.vault.name) == ["Papers"])
        #expect(last.nextCursor == nil)
        let nominee = try #require(first.items.first).nomineeID
        #expect(try await house.bob.send("DELETE", "/v1/vaults/\(house.photos.id)/nominees/\(nominee)").status == 204)
        let left = try await house.list(of: house.alice)
        #expect(left.items.map(\.vault.name) == ["Papers"])
        #expect(left.unreadCount == 1)
        let (installation, _, client) = try shared.get()
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        #expect(try await house.list(of: mallory).items.isEmpty)
    }
}
