import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The note of a check-in` {
    @Test func `reaches the receiver if the sender shares it, until the next check-in`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let checkIn: Kith.CheckIn = try await pair.alice.get(
            "POST", "/v1/pings/check-in", #"{"note":"At the lake","share_note":true}"#)
        #expect(checkIn.pings.map(\.note) == ["At the lake"])
        let told = try #require(try await pair.bob.notifications().first)
        #expect(told.type == "ping_completed")
        #expect(told.data["note"] == "At the lake")
        let ping = try #require(checkIn.pings.first)
        #expect(told.data["about"] == ["type": "ping", "id": .string(ping.id.text)])
        let path = "/v1/connections/\(pair.connection.text)"
        let seen: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(seen.lastCheckInNote == "At the lake")
        #expect(seen.todayPing?.note == "At the lake")

        let _: Kith.CheckIn = try await pair.alice.get("POST", "/v1/pings/check-in", "{}")
        let later: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(later.lastCheckInNote == nil)
        #expect(later.todayPing?.note == "At the lake")
    }

    @Test(arguments: ["", #","share_note":false"#])
    func `stays with the sender unless it is shared`(sharing: String) async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let checkIn: Kith.CheckIn = try await pair.alice.get(
            "POST", "/v1/pings/check-in", #"{"note":"At the lake"\#(sharing)}"#)
        #expect(checkIn.completed == 1)
        let path = "/v1/connections/\(pair.connection.text)"
        for place in [
            path, "\(path)/pings", "/v1/connections", "/v1/dashboard?role=receiver", "/v1/pings", "/v1/notifications",
            "/v1/me/export",
        ] {
            let answer = try await pair.bob.send("GET", place)
            #expect(answer.status == 200, "\(place)")
            #expect(!answer.text.contains("lake"), "\(place)")
        }
        #expect(try await pair.alice.send("GET", "/v1/me/export").text.contains("At the lake"))
    }

    @Test func `is shared or not by a boolean`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        let answer = try await alice.send("POST", "/v1/pings/check-in", #"{"note":"Well","share_note":"yes"}"#)
        #expect(answer.status == 422)
        #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == ["share_note"])
    }
}
