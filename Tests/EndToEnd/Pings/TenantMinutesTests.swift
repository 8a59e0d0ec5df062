import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A tenant's default grace and reminder` {
    @Test func `apply to new profiles and leave existing ones unchanged`() async throws {
        let (installation, _, client) = try shared.get()
        let made = try KithProcess.run(
            ["tenant", "create", "wonka", "--name", "Wonka", "--json"], environment: installation.environment)
        let wonka = try JSONDecoder().decode(Installation.Tenant.self, from: Data(made.output.utf8))
        func change(_ settings: String) async throws -> APIClient.Answer {
            try await client.send("PATCH", "/v1/tenant", settings, as: wonka.secretKey)
        }
        func minutes(_ person: Person, _ more: String = "") async throws -> [Int] {
            let profile: Kith.SenderProfile = try await person.get(
                "PUT", "/v1/me/sender-profile", #"{"ping_time":"09:00","time_zone":"Europe/Berlin"\#(more)}"#)
            return [profile.graceMinutes, profile.reminderMinutes]
        }
        let alice = try await Person.join(wonka, as: "Alice", client)
        let bob = try await Person.join(wonka, as: "Bob", client)
        let carol = try await Person.join(wonka, as: "Carol", client)
        #expect(try await minutes(alice) == [90, 15])
        #expect(try await minutes(bob, #","grace_minutes":30,"reminder_minutes":20"#) == [30, 20])

        #expect(try await change(#"{"grace_minutes":240,"reminder_minutes":60}"#).status == 200)
        #expect(try await minutes(carol) == [240, 60])
        #expect(try await minutes(alice) == [90, 15])
        #expect(try await minutes(bob) == [30, 20])

        for (settings, field) in [
            (#"{"grace_minutes":4}"#, "grace_minutes"), (#"{"grace_minutes":720}"#, "grace_minutes"),
            (#"{"reminder_minutes":240}"#, "reminder_minutes"), (#"{"reminder_minutes":0}"#, "reminder_minutes"),
        ] {
            let refused = try await change(settings)
            #expect(refused.status == 422)
            #expect(try refused.decode(Kith.Problem.self).errors?.map(\.field) == [field], "\(settings)")
        }
    }
}
