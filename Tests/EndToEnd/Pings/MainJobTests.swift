import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The main job` {
    @Test func `connects two people by code, asks for a check-in, reminds, and reports the miss`() async throws {
        // This test needs its own installation: its worker runs in another year, where everybody else's pings would be
        // missed.
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let profile = try await alice.becomeSender(at: "09:00", zone: "Europe/Berlin", grace: 90)
        #expect(profile.code.count == 6)
        let receiver = try await bob.becomeReceiver()

        let connection = try await alice.connect(receiver.code)
        #expect(connection.role == .sender)
        #expect(connection.status == .active)
        #expect(connection.counterpart.displayName == "Bob")
        #expect(connection.counterpart.id == bob.id)
        let told = try await bob.notifications()
        #expect(told.map(\.type) == ["connection_request"])
        #expect(told.first?.title == "New Connection")
        #expect(told.first?.body == "Alice is now sending you pings")

        // The pings of a day far ahead: made at local midnight, due at nine, missed at half past ten.
        try installation.work(at: "2027-03-10T00:00:00Z")
        try installation.work(at: "2027-03-10T08:00:30Z")
        let due: Kith.PingPage = try await alice.get("GET", "/v1/pings?date=2027-03-10")
        #expect(due.items.map(\.status) == [.due])
        #expect(try await alice.notifications().first?.type == "ping_due")

        try installation.work(at: "2027-03-10T09:15:30Z")
        #expect(try await alice.notifications().first?.body == "15 minutes left to check in.")
        let before = try await bob.notifications().count

        try installation.work(at: "2027-03-10T09:30:09Z")
        #expect(try await bob.notifications().count == before)
        try installation.work(at: "2027-03-10T09:30:11Z")
        let missed: Kith.PingPage = try await bob.get("GET", "/v1/pings?date=2027-03-10&role=receiver")
        #expect(missed.items.map(\.status) == [.missed])
        #expect(try await bob.notifications().count == before + 1)
        #expect(try await bob.notifications().first?.body == "Alice has not checked in today.")
        #expect(
            try await alice.notifications().first?.body
                == "You missed today's check-in. Check in now to let your receivers know you're safe.")
    }

    @Test func `lets a check-in complete open pings, tell the receiver, and be repeated`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await alice.becomeSender()
        for receiver in [bob, carol] { _ = try await alice.connect(receiver.becomeReceiver().code) }

        let first: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", #"{"note":"All well"}"#)
        #expect(first.completed == 2)
        #expect(first.late == 0)
        #expect(Set(first.pings.map(\.status)) == [.completed])
        let again: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", "{}")
        #expect(again.completed == 0)

        for receiver in [bob, carol] {
            let dashboard: Kith.Dashboard = try await receiver.get("GET", "/v1/dashboard?role=receiver")
            #expect(dashboard.items.map(\.todayPing?.status) == [.completed])
            #expect(dashboard.items.first?.lastCheckInAt != nil)
            #expect(
                try await receiver.notifications().map(\.body) == [
                    "Alice checked in.", "Alice is now sending you pings",
                ])
        }
    }

    @Test func `pauses, resumes, removes and reconnects a connection`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let code = try await bob.becomeReceiver().code
        let connection = try await alice.connect(code)
        let path = "/v1/connections/\(connection.id)"
        #expect(connection.todayPing?.status == .due)

        let paused: Kith.Connection = try await alice.get("POST", "\(path)/pause")
        #expect(paused.status == .paused)
        #expect(paused.todayPing?.status == .cancelled)
        #expect(try await alice.send("POST", "\(path)/pause").code == "invalid_transition")
        #expect(try await bob.send("POST", "\(path)/resume").code == "forbidden")
        let resumed: Kith.Connection = try await alice.get("POST", "\(path)/resume")
        #expect(resumed.todayPing?.status == .due)

        #expect(try await bob.send("DELETE", path).status == 204)
        let left: Kith.ConnectionPage = try await alice.get("GET", "/v1/connections?role=sender")
        #expect(left.items.isEmpty)
        #expect(try await alice.notifications().first?.body == "Bob has removed your connection")

        let back: Kith.Connection = try await alice.get("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
        #expect(back.reactivated == true)
        #expect(back.id == connection.id)
        #expect(back.createdAt == connection.createdAt)
        #expect(
            try await bob.notifications().map(\.type) == [
                "connection_request", "connection_resumed", "connection_paused", "connection_request",
            ])
    }

    @Test func `gives each refusal of a code its own answer`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let own = try await alice.becomeSender().code
        let code = try await bob.becomeReceiver().code
        func redeem(_ code: String) async throws -> (status: Int, code: String, detail: String) {
            let answer = try await alice.send("POST", "/v1/connections", #"{"code":"\#(code)"}"#)
            return (answer.status, answer.code, answer.detail)
        }
        #expect(try await redeem(own) == (422, "self_connection", "You cannot connect to your own code."))
        let preview = try await alice.send("GET", "/v1/codes/\(code)")
        #expect(preview.text.contains("Bob"))

        let suspended = try await client.send(
            "PUT", "/v1/users/\(bob.id)/subscription", #"{"status":"expired"}"#, as: installation.acme.secretKey)
        #expect(suspended.status == 200)
        #expect(
            try await redeem(code) == (
                402, "subscription_inactive", "This receiver can't accept new connections right now."
            ))
        _ = try await client.send(
            "PUT", "/v1/users/\(bob.id)/subscription", #"{"status":"active"}"#, as: installation.acme.secretKey)
        _ = try await alice.connect(code)
        #expect(try await redeem(code) == (409, "connection_exists", "You're already connected to this user."))

        let rotated: Kith.Code = try await bob.get(
            "POST", "/v1/me/codes", #"{"role":"receiver","rotate":true}"#, status: 201)
        #expect(rotated.code != code)
        #expect(
            try await redeem(code) == (
                410, "expired_code", "This invitation code has expired. Please ask for a new code."
            ))
        let unused = try #require(
            (100_000...999_999).lazy.map(String.init).first { $0 != code && $0 != rotated.code && $0 != own })
        let unknown = try await redeem(unused)
        if unknown.status == 404 {
            #expect(unknown == (404, "invalid_code", "Invalid code. Please check and try again."))
        }
    }

    @Test func `lets one of two simultaneous connection attempts win and tells the other that they are connected`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        for _ in 0..<5 {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let bob = try await Person.join(installation.acme, as: "Bob", client)
            let sending = try await alice.becomeSender().code
            let receiving = try await bob.becomeReceiver().code
            async let one = client.patiently {
                try await alice.send("POST", "/v1/connections", #"{"code":"\#(receiving)"}"#)
            }
            async let other = client.patiently {
                try await bob.send("POST", "/v1/connections", #"{"code":"\#(sending)"}"#)
            }
            let answers = try await [one, other]
            #expect(answers.map(\.status).sorted() == [201, 409])
            #expect(answers.map(\.code).sorted() == ["", "connection_exists"])
        }
    }

    @Test func `stops code guessing after ten misses, and keeps it stopped`() async throws {
        let (installation, _, client) = try shared.get()
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        try await mallory.becomeSender()
        var statuses: [Int] = []
        for number in 0..<14 {
            let answer = try await mallory.send("POST", "/v1/connections", #"{"code":"\#(900_000 + number)"}"#)
            statuses.append(answer.status)
            if answer.status == 429 {
                #expect(answer.code == "too_many_requests")
                #expect(Int(answer.headers["retry-after"] ?? "").map { $0 > 0 && $0 <= 3600 } == true)
            }
        }
        #expect(statuses == Array(repeating: 404, count: 10) + Array(repeating: 429, count: 4))
        let malformed = try await mallory.send("POST", "/v1/connections", #"{"code":"12345"}"#)
        #expect(malformed.code == "validation_failed")
    }

    @Test func `returns every connection exactly once across the pages of a list`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        for number in 0..<7 {
            let sender = try await Person.join(installation.acme, as: "Sender \(number)", client)
            try await sender.becomeSender()
            _ = try await sender.connect(code)
        }
        var seen: [UUID] = []
        var cursor: String?
        repeat {
            let page: Kith.ConnectionPage = try await bob.get(
                "GET", "/v1/connections?role=receiver&limit=3" + (cursor.map { "&cursor=\($0)" } ?? ""))
            seen += page.items.map(\.id)
            cursor = page.nextCursor?.rawValue
        } while cursor != nil
        #expect(seen.count == 7)
        #expect(Set(seen).count == 7)
    }

    @Test func `counts notifications and marks them read one by one or all together`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        for name in ["Alice", "Carol", "Dave"] {
            let sender = try await Person.join(installation.acme, as: name, client)
            try await sender.becomeSender()
            _ = try await sender.connect(code)
        }
        struct Unread: Decodable { var unread_count: Int }
        func unread() async throws -> Int {
            let page: Unread = try await bob.get("GET", "/v1/notifications?unread=true")
            return page.unread_count
        }
        #expect(try await unread() == 3)
        let first = try #require(try await bob.notifications().first)
        #expect(try await bob.send("POST", "/v1/notifications/\(first.id)/read").status == 204)
        #expect(try await unread() == 2)
        #expect(try await bob.send("POST", "/v1/notifications/read-all").status == 204)
        #expect(try await unread() == 0)
        #expect(try await bob.send("POST", "/v1/notifications/\(UUID())/read").code == "not_found")
    }
}
