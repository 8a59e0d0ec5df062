import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `An owner's silence` {
    /// Alice, whose pings are at 09:00 with 90 minutes of grace. Carol receives them, and is no nominee.
    private func house(onRequest: Bool = false) async throws -> (house: EmergencyHouse, carol: Person) {
        let house = try await EmergencyHouse(onRequest: onRequest, #","after_missed_days":2"#)
        let carol = try await Person.join(house.installation.acme, as: "Carol", house.alice.client)
        try await house.alice.becomeSender(at: "09:00", grace: 90)
        _ = try await house.alice.connect(carol.becomeReceiver().code)
        return (house, carol)
    }

    /// Runs the worker on a day of March 2027 at each instant that matters: its beginning, the ping, and the miss.
    private func pass(_ day: Int, of house: EmergencyHouse) throws {
        for time in ["00:00:00", "09:00:30", "10:30:11"] {
            try house.installation.work(at: "2027-03-\(day)T\(time)Z")
        }
    }

    private func instant(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test func `begins the wait after the missed days, and grants by itself`() async throws {
        let (house, carol) = try await house()
        defer { house.end() }
        #expect(
            try await house.bob.send("POST", "/v1/vaults/\(house.vault.id)/emergency/requests", "{}").code
                == "forbidden", "Bob may not ask")
        try pass(10, of: house)
        try await house.at(instant("2027-03-10T10:31:00Z")) { alice, _ in
            let seen = try await alice.emergencyRequests(of: house.vault)
            #expect(seen.isEmpty)
        }
        try pass(11, of: house)
        try await house.at(instant("2027-03-11T10:31:00Z")) { alice, bob in
            let request = try #require(try await alice.emergencyRequests(of: house.vault).first)
            #expect(request.cause == .silence && request.status == .waiting && request.missedDays == 2)
            let (grant, expected) = (try #require(request.grantsAt), try instant("2027-03-12T10:30:11Z"))
            #expect(abs(grant.timeIntervalSince(expected)) < 1)
            #expect(
                try await alice.emergencyNotices().first
                    == """
                    You have not checked in for 2 days. Bob gets into Papers on 12 March 2027, 10:30 unless you \
                    check in.
                    """
            )
            // Nobody learns from a wait that Alice is silent, unless she shows it.
            #expect(try await bob.emergencyRequests(of: house.vault).isEmpty)
            #expect(try await bob.enterInEmergency(house.vault).code == "forbidden")
        }
        try house.installation.work(at: "2027-03-12T10:31:00Z")
        try await house.at(instant("2027-03-12T10:31:30Z")) { (_, bob) async throws in
            #expect(try await bob.emergencyNotices().first?.hasPrefix("You can enter Papers now, until ") == true)
            #expect(try await bob.enterInEmergency(house.vault).status == 200)
        }
        let told = try await carol.notifications()
        #expect(told.contains { $0.type == "ping_missed" })
        #expect(!told.contains { $0.body.contains("Papers") }, "a receiver learns nothing of the vault")
    }

    @Test func `is broken by a check-in, which also ends the wait that it has begun`() async throws {
        let (house, _) = try await house()
        defer { house.end() }
        try pass(10, of: house)
        try pass(11, of: house)
        try await house.at(instant("2027-03-11T12:00:00Z")) { alice, _ in
            let request = try #require(try await alice.emergencyRequests(of: house.vault).first)
            #expect(request.status == .waiting)
            let _: Kith.CheckIn = try await alice.get("POST", "/v1/pings/check-in", "{}")
            #expect(try await alice.emergencyRequest(request).status == .rejected)
        }
        try pass(12, of: house)
        try await house.at(instant("2027-03-12T11:00:00Z")) { alice, _ in
            let seen = try await alice.emergencyRequests(of: house.vault, "?status=waiting")
            #expect(seen.isEmpty)
        }
    }

    @Test func `stays hidden from a nominee who asks while it waits`() async throws {
        let (house, _) = try await house(onRequest: true)
        defer { house.end() }
        try pass(10, of: house)
        try pass(11, of: house)
        try await house.at(instant("2027-03-11T12:00:00Z")) { alice, bob in
            #expect(try await bob.emergencyRequests(of: house.vault).isEmpty)
            let asked = try await bob.askForEmergencyAccess(to: house.vault)
            #expect(asked.cause == .request && asked.status == .waiting && asked.missedDays == nil)
            #expect(try await bob.emergencyRequests(of: house.vault) == [asked])
            #expect(
                try await bob.send("POST", "/v1/vaults/\(house.vault.id)/emergency/requests", "{}").status == 409,
                "one request at a time, as without a silence")
            #expect(try await bob.decide("withdraw", asked).status == .withdrawn)
            let waiting = try await alice.emergencyRequests(of: house.vault, "?status=waiting")
            #expect(waiting.map(\.cause) == [.silence], "the silence goes on")
        }
    }
}
