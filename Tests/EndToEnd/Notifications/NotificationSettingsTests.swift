import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A user's notification settings` {
    private func alice() async throws -> Person {
        let (installation, _, client) = try shared.get()
        return try await Person.join(installation.acme, as: "Alice", client)
    }

    @Test func `include quiet hours`() async throws {
        let alice = try await alice()
        #expect(try await alice.send("GET", "/v1/me/quiet-hours").code == "not_found")
        let set: Kith.QuietHours = try await alice.get(
            "PUT", "/v1/me/quiet-hours", #"{"from":"22:00","until":"07:00"}"#)
        #expect(set == Kith.QuietHours(from: "22:00", until: "07:00"))
        let seen: Kith.QuietHours = try await alice.get("GET", "/v1/me/quiet-hours")
        #expect(seen == set)
        #expect(try await alice.send("DELETE", "/v1/me/quiet-hours").status == 204)
        #expect(try await alice.send("DELETE", "/v1/me/quiet-hours").status == 204)
        #expect(try await alice.send("GET", "/v1/me/quiet-hours").code == "not_found")
    }

    @Test(
        arguments: [
            (#"{"from":"22:00"}"#, "until"), (#"{"from":"24:00","until":"07:00"}"#, "from"),
            (#"{"from":"22:00","until":"22:00"}"#, "until"), (#"{"from":22,"until":"07:00"}"#, "from"),
        ])
    func `refuse quiet hours that are invalid`(body: String, field: String) async throws {
        let answer = try await alice().send("PUT", "/v1/me/quiet-hours", body)
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
    }

    @Test func `include channel preferences for every type`() async throws {
        let alice = try await alice()
        let usual: Kith.NotificationSettings = try await alice.get("GET", "/v1/me/notification-preferences")
        #expect(usual.preferences.count == 41)
        #expect(usual.preferences.allSatisfy { $0.channels.contains(.push) })

        let set: Kith.NotificationSettings = try await alice.get(
            "PUT", "/v1/me/notification-preferences",
            #"{"preferences":[{"type":"ping_completed","channels":[]},{"type":"ping_missed","channels":["push","sms"]}]}"#
        )
        let channels = Dictionary(uniqueKeysWithValues: set.preferences.map { ($0.type, $0.channels) })
        #expect(channels["ping_completed"] == [])
        #expect(channels["ping_missed"] == [.push, .sms])
        #expect(channels["ping_due"] == [.push])
        let seen: Kith.NotificationSettings = try await alice.get("GET", "/v1/me/notification-preferences")
        #expect(seen == set)

        let back: Kith.NotificationSettings = try await alice.get(
            "PUT", "/v1/me/notification-preferences", #"{"preferences":[]}"#)
        #expect(back == usual)
    }

    @Test(
        arguments: [
            (#"{}"#, "preferences"), (#"{"preferences":[{"type":"ping_due"}]}"#, "preferences[0].channels"),
            (#"{"preferences":[{"type":"ping_due","channels":["fax"]}]}"#, "preferences[0].channels[0]"),
            (
                #"{"preferences":[{"type":"ping_completed","channels":[]},{"type":"x","channels":[]}]}"#,
                "preferences[1].type"
            ),
            (#"{"preferences":[{"type":"ping_missed","channels":[]}]}"#, "preferences[0].channels"),
            (#"{"preferences":[{"type":"emergency_requested","channels":[]}]}"#, "preferences[0].channels"),
        ])
    func `refuse preferences that would silence an alarm`(body: String, field: String) async throws {
        let answer = try await alice().send("PUT", "/v1/me/notification-preferences", body)
        #expect(answer.status == 422)
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
    }
}
