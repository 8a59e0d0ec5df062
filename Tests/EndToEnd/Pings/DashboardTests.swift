import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A dashboard` {
    @Test func `lists those who missed first, with the phone number if the sender shares it`() async throws {
        let installation = try Installation(offset: Day.offset(from: Day.start))
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        let bert = try await Person.join(installation.acme, as: "Bert", client)
        try await bert.becomeSender(at: "18:00", grace: 600)
        _ = try await bert.connect(code)
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let phone = SignInHouse.number()
        let change = try await client.send(
            "PATCH", "/v1/users/\(alice.id)", #"{"phone":"\#(phone)"}"#, as: installation.acme.secretKey)
        #expect(change.status == 200)
        let profile = try await alice.becomeSender(at: "11:00", grace: 90)
        #expect(!profile.sharePhone)
        _ = try await alice.connect(code)
        try installation.work(at: Day.date() + "T12:30:30Z")

        let oldest: Kith.Dashboard = try await bob.get("GET", "/v1/dashboard?role=receiver")
        #expect(oldest.items.map(\.counterpart.displayName) == ["Bert", "Alice"])
        let missed: Kith.Dashboard = try await bob.get("GET", "/v1/dashboard?role=receiver&order=missed")
        #expect(missed.items.map(\.counterpart.displayName) == ["Alice", "Bert"])
        #expect(missed.items.map(\.todayPing?.status) == [.missed, .scheduled])
        #expect(missed.items.allSatisfy { $0.call == nil })

        let sharing: Kith.SenderProfile = try await alice.get(
            "PUT", "/v1/me/sender-profile", #"{"ping_time":"11:00","share_phone":true}"#)
        #expect(sharing.sharePhone)
        #expect(sharing.graceMinutes == 90)
        let called: Kith.Dashboard = try await bob.get("GET", "/v1/dashboard?role=receiver&order=missed")
        #expect(called.items.map(\.call?.phone) == [phone, nil])
        // The number is for receivers.
        let own: Kith.Dashboard = try await alice.get("GET", "/v1/dashboard?role=sender")
        #expect(own.items.map(\.call) == [nil])
    }

    @Test func `has everybody without a limit, and pages with one`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let code = try await alice.becomeSender().code
        let count = 53
        var made: Set<UUID> = []
        for number in 0..<count {
            let receiver = try await Person.join(installation.acme, as: "Receiver \(number)", client)
            try await receiver.becomeReceiver()
            made.insert(try await receiver.connect(code).id)
        }
        let whole: Kith.Dashboard = try await alice.get("GET", "/v1/dashboard?role=sender")
        #expect(whole.items.count == count)
        #expect(Set(whole.items.map(\.id)) == made)
        #expect(whole.nextCursor == nil)
        #expect(whole.openPings == count)

        for order in ["connection", "missed"] {
            var seen: [UUID] = []
            var cursor: String?
            repeat {
                let page: Kith.Dashboard = try await alice.get(
                    "GET", "/v1/dashboard?role=sender&order=\(order)&limit=20" + (cursor.map { "&cursor=\($0)" } ?? ""))
                #expect(page.items.count <= 20)
                #expect(page.openPings == count)
                seen += page.items.map(\.id)
                cursor = page.nextCursor?.rawValue
            } while cursor != nil
            #expect(seen.count == count)
            #expect(Set(seen) == made)
        }
        let answer = try await alice.send("GET", "/v1/dashboard?role=sender&order=missed&cursor=\(UUID().text)")
        #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == ["cursor"])
    }
}
