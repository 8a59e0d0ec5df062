import Foundation
import KithClient
import TestThreads
import Testing

/// Plays the main screens of an app. Each is painted for the first time with one call, and the call's answer has all
/// that the screen shows.
@Suite(.mayBlock) struct `The first paint of a screen takes one call` {
    /// A screen while it loads, which counts its calls.
    private actor Screen {
        private let person: Person
        private(set) var calls = 0

        init(_ person: Person) {
            self.person = person
        }

        func load<Value: Decodable & Sendable>(_ path: String) async throws -> Value {
            calls += 1
            return try await person.get("GET", path)
        }
    }

    /// Alice, who sends pings to Bob and Carol, owns a vault with a document, and chats with Bob, its nominee. Carol
    /// has been invited.
    private struct Family {
        let alice: Person
        let bob: Person
        let carol: Person
        let profile: Kith.SenderProfile
        let connection: Kith.Connection
        let vault: Kith.Vault
        let nominee: Kith.InvitedNominee
        let document: Kith.Document
    }

    private func family() async throws -> Family {
        let (installation, _, client) = try shared.get()
        let archive = try await Archive(installation, client)
        let alice = archive.alice
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let profile = try await alice.becomeSender()
        try await bob.becomeReceiver()
        let connection = try await bob.connect(profile.code)
        try await carol.becomeReceiver()
        _ = try await carol.connect(profile.code)
        let document = try await archive.add(bytes(100))
        let nominee = try await bob.becomeNominee(of: archive.vault, by: alice, as: .edit)
        let message = try await bob.send(
            "POST", "/v1/vaults/\(archive.vault.id)/nominees/\(nominee.id)/messages", #"{"body":"Hello"}"#)
        #expect(message.status == 201)
        let number = SignInHouse.number()
        try carol.verify(number, in: installation)
        _ = try await alice.invite("Carol", to: archive.vault, as: .view, #","phone":"\#(number)""#)
        return Family(
            alice: alice, bob: bob, carol: carol, profile: profile, connection: connection, vault: archive.vault,
            nominee: nominee, document: document)
    }

    @Test func `on the home of a sender`() async throws {
        let family = try await family()
        let screen = Screen(family.alice)
        let home: Kith.Home = try await screen.load("/v1/home")
        #expect(home.me.id == family.alice.id && home.me.displayName == "Alice")
        let sender = try #require(home.sender)
        #expect(sender.profile.code == family.profile.code && sender.profile.pingTime == "11:00")
        #expect(sender.break == nil)
        #expect(sender.dashboard.openPings == 2 && sender.dashboard.deadlineAt != nil)
        #expect(Set(sender.dashboard.items.map(\.counterpart.displayName)) == ["Bob", "Carol"])
        #expect(sender.dashboard.items.allSatisfy { $0.todayPing != nil })
        #expect(home.receiver == nil)
        #expect(home.unreadMessages == 1 && home.unreadCount >= 1)
        let vault = try #require(home.vaults.items.first)
        #expect(vault.id == family.vault.id && vault.counts.unread == 1)
        #expect(home.waiting.connections.isEmpty && home.waiting.invitations.items.isEmpty)
        #expect(await screen.calls == 1)
    }

    @Test func `on the home of a receiver`() async throws {
        let family = try await family()
        let screen = Screen(family.carol)
        let home: Kith.Home = try await screen.load("/v1/home")
        let receiver = try #require(home.receiver)
        #expect(receiver.profile.code.count == 6 && home.sender == nil)
        let alice = try #require(receiver.dashboard.items.first)
        #expect(alice.counterpart.displayName == "Alice" && alice.pingTime == "11:00" && alice.timeZone == "UTC")
        #expect(alice.todayPing?.status == .due || alice.todayPing?.status == .scheduled)
        #expect(alice.break == nil && alice.lastCheckInAt == nil)
        let waiting = try #require(home.waiting.invitations.items.first)
        #expect(waiting.vault.id == family.vault.id && waiting.inviter.displayName == "Alice")
        #expect(home.vaults.items.isEmpty, "she has not accepted")
        #expect(await screen.calls == 1)
    }

    @Test func `on a week of pings`() async throws {
        let family = try await family()
        let screen = Screen(family.bob)
        let pings: Kith.PingPage = try await screen.load(
            "/v1/pings?role=receiver&from=\(Day.date(-6))&until=\(Day.date())")
        #expect(pings.items.map(\.connectionID) == [family.connection.id])
        #expect(pings.items.map(\.date) == [Day.localDate()])
        #expect(await screen.calls == 1)
    }

    @Test func `on a connection`() async throws {
        let family = try await family()
        let screen = Screen(family.bob)
        let connection: Kith.Connection = try await screen.load("/v1/connections/\(family.connection.id)")
        #expect(connection.counterpart.displayName == "Alice" && connection.status == .active)
        #expect(connection.role == .receiver && connection.alias == nil)
        #expect(connection.todayPing != nil && connection.pingTime == "11:00" && connection.timeZone == "UTC")
        #expect(await screen.calls == 1)
    }

    @Test func `on the entry of a code`() async throws {
        struct Preview: Decodable, Sendable {
            struct Person: Decodable, Sendable {
                let displayName: String

                private enum CodingKeys: String, CodingKey {
                    case displayName = "display_name"
                }
            }

            let role: Kith.Role
            let counterpart: Person
        }
        let family = try await family()
        let screen = Screen(family.carol)
        let preview: Preview = try await screen.load("/v1/codes/\(family.profile.code)")
        #expect(preview.role == .receiver && preview.counterpart.displayName == "Alice")
        #expect(await screen.calls == 1)
    }

    @Test func `on the invitation of people, and one more to invite them`() async throws {
        let family = try await family()
        let made: Kith.ConnectionInvitation = try await family.alice.get(
            "POST", "/v1/connection-invitations",
            #"{"recipients":[{"name":"Dora","phone":"\#(SignInHouse.number())"},{"name":"Emil"}]}"#, status: 201)
        #expect(made.recipients.map(\.status) == [.pending, .invalid])
        #expect(made.smsURL != nil && made.smsURLIOS != nil && made.recipients[0].smsURL != nil)
        let screen = Screen(family.alice)
        let list: Kith.ConnectionInvitationSummaryPage = try await screen.load("/v1/connection-invitations")
        let summary = try #require(list.items.first)
        #expect(summary.message == made.message && summary.code == family.profile.code && summary.url == made.url)
        #expect(summary.recipientCount == 2 && summary.connected == 0)
        #expect(summary.statuses == Kith.RecipientCounts(pending: 1, invalid: 1))
        #expect(await screen.calls == 1)
    }

    @Test func `on the list of vaults`() async throws {
        let family = try await family()
        let owners = Screen(family.alice)
        let own: Kith.VaultPage = try await owners.load("/v1/vaults")
        let vault = try #require(own.items.first)
        #expect(vault.name == "Papers" && vault.role == .owner && vault.session != nil)
        #expect(vault.counts.nominees?.active == 1 && vault.counts.nominees?.pending == 1)
        #expect(vault.counts.documents == 1 && vault.counts.unread == 1 && vault.pendingTransfer == nil)
        #expect(await owners.calls == 1)
        let nominees = Screen(family.bob)
        let seen: Kith.VaultPage = try await nominees.load("/v1/vaults")
        #expect(seen.items.first?.nomineeID == family.nominee.id && seen.items.first?.owner.displayName == "Alice")
        #expect(seen.items.first?.accessLevel == .edit && seen.items.first?.counts.documents == 1)
        #expect(await nominees.calls == 1)
    }

    @Test func `on a vault, on its nominees and on its documents`() async throws {
        let family = try await family()
        let detail = Screen(family.alice)
        let vault: Kith.Vault = try await detail.load("/v1/vaults/\(family.vault.id)")
        let session = try #require(vault.session)
        #expect(session.unlockedByUser.displayName == "Alice" && session.inside.contains { $0.displayName == "Alice" })
        #expect(session.latestExpiresAt >= session.expiresAt)
        #expect(vault.counts.nominees?.active == 1 && vault.counts.documents == 1 && vault.counts.unread == 1)
        #expect(await detail.calls == 1)

        let people = Screen(family.alice)
        let list: Kith.NomineePage = try await people.load("/v1/vaults/\(family.vault.id)/nominees?include=history")
        #expect(list.owner.displayName == "Alice" && list.items.map(\.status) == [.active, .pending])
        #expect(list.items.first?.unreadCount == 1 && list.history?.isEmpty == false)
        #expect(await people.calls == 1)

        let files = Screen(family.alice)
        let documents: Kith.DocumentPage = try await files.load("/v1/vaults/\(family.vault.id)/documents")
        #expect(documents.items.map(\.id) == [family.document.id])
        #expect(documents.items.map(\.name) == ["Will.pdf"])
        #expect(await files.calls == 1)
    }

    @Test func `on the list of chats`() async throws {
        let family = try await family()
        let screen = Screen(family.alice)
        let chats: Kith.ConversationPage = try await screen.load("/v1/conversations")
        let chat = try #require(chats.items.first)
        #expect(chats.items.count == 1 && chats.unreadCount == 1)
        #expect(chat.counterpart.displayName == "Bob" && chat.vault.name == "Papers" && chat.unreadCount == 1)
        #expect(chat.lastMessage.body == "Hello" && chat.nomineeID == family.nominee.id)
        #expect(await screen.calls == 1)
    }

    @Test func `in the notification centre`() async throws {
        struct Centre: Decodable, Sendable {
            let items: [Kith.Notification]
            let unreadCount: Int

            private enum CodingKeys: String, CodingKey {
                case items
                case unreadCount = "unread_count"
            }
        }
        let family = try await family()
        let screen = Screen(family.alice)
        let centre: Centre = try await screen.load("/v1/notifications")
        #expect(centre.items.count == centre.unreadCount && !centre.items.isEmpty)
        // Each leads somewhere.
        #expect(centre.items.allSatisfy { $0.data["about"] != nil })
        #expect(Set(centre.items.map(\.type)).isSuperset(of: ["message_received", "nominee_accepted"]))
        #expect(await screen.calls == 1)
    }

    @Test func `in the settings`() async throws {
        let family = try await family()
        _ = try await family.bob.send("PATCH", "/v1/me", #"{"locale":"de-DE"}"#)
        let screen = Screen(family.bob)
        let home: Kith.Home = try await screen.load("/v1/home")
        #expect(home.me.displayName == "Bob" && home.me.locale == "de-DE" && home.me.timeZone == "UTC")
        #expect(home.me.phone == nil && !home.me.phoneVerified)
        #expect(home.receiver?.profile.code.count == 6)
        #expect(await screen.calls == 1)
        let quiet = Screen(family.bob)
        let preferences: Kith.NotificationSettings = try await quiet.load("/v1/me/notification-preferences")
        #expect(!preferences.preferences.isEmpty)
        #expect(await quiet.calls == 1)
    }
}
