import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A profile` {
    @Test func `of a sender ends with its connections, and brings them back with the same code`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let path = "/v1/connections/\(pair.connection.text)"
        let before: Kith.SenderProfile = try await pair.alice.get("GET", "/v1/me/sender-profile")

        #expect(try await pair.alice.send("DELETE", "/v1/me/sender-profile").status == 204)
        #expect(try await pair.alice.send("DELETE", "/v1/me/sender-profile").code == "not_found")
        #expect(try await pair.alice.send("GET", "/v1/me/sender-profile").code == "not_found")
        #expect(try await pair.alice.send("POST", "/v1/pings/check-in", "{}").status == 200)
        #expect(try await pair.bob.send("GET", path).code == "not_found")
        #expect(try await pair.bob.notifications().first?.body == "Alice has removed you as a receiver")
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await carol.becomeReceiver()
        let attempt = try await carol.send("POST", "/v1/connections", #"{"code":"\#(before.code)"}"#)
        #expect(attempt.code == "expired_code")
        let export = try await JSON(pair.alice.send("GET", "/v1/me/export").body)
        #expect(export["account"]?["sender_profile"] == .null)
        #expect(export["account"]?["ended_profiles"]?.array.map { $0["role"]?.string } == ["sender"])

        let back = try await pair.alice.becomeSender()
        #expect(back.code == before.code)
        let connection: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(connection.status == .active)
        // The check-in without a profile speaks for the ping that comes back.
        #expect(connection.todayPing?.status == .completed)
        #expect(try await pair.bob.notifications().first?.body == "Alice is now sending you pings")
        _ = try await carol.connect(before.code)
    }

    @Test func `of a receiver ends with its connections, and brings them back unless they were removed`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await carol.becomeSender()
        let before: Kith.ReceiverProfile = try await pair.bob.get("GET", "/v1/me/receiver-profile")
        _ = try await carol.connect(before.code)

        #expect(try await pair.bob.send("DELETE", "/v1/me/receiver-profile").status == 204)
        #expect(try await pair.bob.send("DELETE", "/v1/me/receiver-profile").code == "not_found")
        let ended: Kith.ConnectionPage = try await pair.alice.get("GET", "/v1/connections")
        #expect(ended.items.isEmpty)
        #expect(try await pair.alice.notifications().first?.body == "Bob has removed your connection")
        let _: Kith.Block = try await carol.get("PUT", "/v1/me/blocks/\(pair.bob.id.text)")

        #expect(try await pair.bob.becomeReceiver().code == before.code)
        let back: Kith.ConnectionPage = try await pair.bob.get("GET", "/v1/connections?role=receiver")
        #expect(back.items.map(\.id) == [pair.connection])
        #expect(try await pair.alice.notifications().first?.body == "Bob is now receiving your pings")
    }

    @Test func `keeps an older name of a time zone as its place, and refuses other names with the nearest`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let profile: Kith.SenderProfile = try await alice.get(
            "PUT", "/v1/me/sender-profile", #"{"ping_time":"09:00","time_zone":"US/Pacific"}"#)
        #expect(profile.timeZone == "America/Los_Angeles")
        #expect(profile.hasOwnTimeZone)
        let user: Kith.User = try await alice.get("PATCH", "/v1/me", #"{"time_zone":"Asia/Calcutta"}"#)
        #expect(user.timeZone == "Asia/Kolkata")

        for (method, path, body) in [
            ("PUT", "/v1/me/sender-profile", #"{"ping_time":"09:00","time_zone":"EST"}"#),
            ("PATCH", "/v1/me", #"{"time_zone":"EST"}"#),
        ] {
            let answer = try await alice.send(method, path, body)
            #expect(answer.status == 422)
            let error = try #require(try answer.decode(Kith.Problem.self).errors?.first)
            #expect(error.field == "time_zone")
            #expect(error.message.hasPrefix("must be an IANA time zone like Europe/Berlin; the nearest are America/"))
        }
    }

    @Test func `of a sender follows the account's time zone unless it has its own, and null restores defaults`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        func put(_ body: String) async throws -> Kith.SenderProfile {
            try await alice.get("PUT", "/v1/me/sender-profile", body)
        }
        func move(to zone: String) async throws -> Kith.SenderProfile {
            let _: Kith.User = try await alice.get("PATCH", "/v1/me", #"{"time_zone":"\#(zone)"}"#)
            return try await alice.get("GET", "/v1/me/sender-profile")
        }
        let made = try await put(#"{"ping_time":"09:00","grace_minutes":30,"reminder_minutes":10}"#)
        #expect(made.timeZone == "UTC")
        #expect(!made.hasOwnTimeZone)
        #expect(try await move(to: "Europe/Berlin").timeZone == "Europe/Berlin")

        let own = try await put(#"{"ping_time":"09:00","time_zone":"Asia/Tokyo"}"#)
        #expect(own.hasOwnTimeZone)
        #expect(own.graceMinutes == 30)
        #expect(own.reminderMinutes == 10)
        #expect(try await move(to: "Europe/Paris").timeZone == "Asia/Tokyo")

        let restored = try await put(
            #"{"ping_time":"09:00","time_zone":null,"grace_minutes":null,"reminder_minutes":null}"#)
        #expect(restored.timeZone == "Europe/Paris")
        #expect(!restored.hasOwnTimeZone)
        #expect(restored.graceMinutes == 90)
        #expect(restored.reminderMinutes == 15)
    }
}
