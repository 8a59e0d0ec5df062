import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `What emergency access means for a person` {
    @Test func `is in one call, in both roles, as far as the owner shows it`() async throws {
        let house = try await EmergencyHouse(#","after_missed_days":3"#)
        defer { house.end() }
        let before: Kith.OwnEmergencies = try await house.alice.get("GET", "/v1/me/emergency")
        #expect(before.asOwner.rights.map(\.nominee.displayName) == ["Bob"])
        #expect(before.asOwner.rights.first?.afterMissedDays == 3 && before.asOwner.requests.isEmpty)
        #expect(before.asNominee.rights.isEmpty && before.asNominee.requests.isEmpty)
        let hidden: Kith.OwnEmergencies = try await house.bob.get("GET", "/v1/me/emergency")
        #expect(hidden.asNominee.rights.isEmpty)

        try await house.alice.giveEmergencyAccess(to: house.nominee, of: house.vault, #","visible":true"#)
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        let shown: Kith.OwnEmergencies = try await house.bob.get("GET", "/v1/me/emergency")
        #expect(shown.asNominee.rights.map(\.owner.displayName) == ["Alice"])
        #expect(shown.asNominee.rights.first?.vault.name == "Papers")
        #expect(shown.asNominee.requests.map(\.id) == [request.id] && shown.asOwner.requests.isEmpty)
        let asked: Kith.OwnEmergencies = try await house.alice.get("GET", "/v1/me/emergency")
        #expect(asked.asOwner.requests.map(\.status) == [.waiting])
    }

    @Test func `is rehearsed step by step, and happens like that`() async throws {
        let house = try await EmergencyHouse(onRequest: false, #","after_missed_days":2,"grant_hours":12"#)
        defer { house.end() }
        let none: Kith.EmergencyRehearsal = try await house.bob.get("GET", "/v1/me/emergency/rehearsal")
        #expect(none.steps.isEmpty, "Bob has given nothing")
        let carol = try await Person.join(house.installation.acme, as: "Carol", house.alice.client)
        try await house.alice.becomeSender(at: "09:00", grace: 90)
        _ = try await house.alice.connect(carol.becomeReceiver().code)

        let rehearsal: Kith.EmergencyRehearsal = try await house.alice.get("GET", "/v1/me/emergency/rehearsal")
        #expect(rehearsal.steps.map(\.at) == rehearsal.steps.map(\.at).sorted())
        func instant(of kind: Kith.EmergencyStepKind) throws -> Date {
            let step = rehearsal.steps.first(where: { $0.kind == kind })
            return try #require(step, "\(kind.rawValue)").at
        }
        let told = try #require(rehearsal.steps.first(where: { $0.kind == .receiverTold }))
        #expect(told.person?.id == carol.id && told.text == "Alice has not checked in today." && told.vaultID == nil)
        let (begins, grant, ends) = try (instant(of: .waitBegins), instant(of: .grant), instant(of: .grantEnds))
        #expect(abs(grant.timeIntervalSince(begins) - 24 * 3600) < 1)
        #expect(abs(ends.timeIntervalSince(grant) - 12 * 3600) < 1)
        let few: Kith.EmergencyRehearsal = try await house.alice.get("GET", "/v1/me/emergency/rehearsal?limit=5")
        #expect(few.steps.count == 5 && few.until < rehearsal.until)
        let soon: Kith.EmergencyRehearsal = try await house.alice.get(
            "GET", "/v1/me/emergency/rehearsal?until=2027-03-10T00:00:00Z")
        #expect(soon.steps.allSatisfy { $0.at <= soon.until } && soon.steps.count < rehearsal.steps.count)
        #expect(try await house.alice.notifications().allSatisfy { !$0.type.hasPrefix("emergency_") })

        for day in [10, 11] {
            for time in ["00:00:00", "09:00:30", "10:30:11"] {
                try house.installation.work(at: "2027-03-\(day)T\(time)Z")
            }
        }
        try await house.at(begins + 60) { alice, _ in
            let request = try #require(try await alice.emergencyRequests(of: house.vault).first)
            let happened = try #require(request.grantsAt)
            // The worker of this test looks a second later than it could.
            #expect(abs(happened.timeIntervalSince(grant)) < 5)
        }
    }
}
