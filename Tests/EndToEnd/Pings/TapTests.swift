import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `A check-in that was kept offline` {
    private func body(tapped seconds: Double) -> String { #"{"tapped_at":"\#(Day.instant(seconds))"}"# }

    @Test func `speaks for the moment of the tap`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        // Today's ping is at nine, and missed at half past ten; now it is noon.
        try installation.work(at: Day.date() + "T12:00:30Z")
        let early: Kith.CheckIn = try await pair.alice.get("POST", "/v1/pings/check-in", body(tapped: -16 * 3600))
        #expect(early.completed == 0)
        #expect(early.late == 0)
        let shown: Kith.Connection = try await pair.bob.get("GET", "/v1/connections/\(pair.connection.text)")
        let moment = try #require(shown.lastCheckInAt)
        #expect(abs(moment.timeIntervalSince(Day.now) + 16 * 3600) < 60)
    }

    @Test(arguments: [120.0, -604_860.0])
    func `was tapped in the last seven days`(seconds: Double) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        let answer = try await alice.send("POST", "/v1/pings/check-in", body(tapped: seconds))
        #expect(answer.status == 422)
        #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == ["tapped_at"])
    }

    @Test(arguments: ["yesterday", "infinity", "2027-03-09", "2027-03-09T10:00:00+23:59"])
    func `says when in the format of RFC 3339`(instant: String) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let answer = try await alice.send("POST", "/v1/pings/check-in", #"{"tapped_at":"\#(instant)"}"#)
        #expect(answer.status == 422)
        #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == ["tapped_at"])
    }

    @Test func `needs no sender profile, as any other`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let answer: Kith.CheckIn = try await bob.get("POST", "/v1/pings/check-in", "{}")
        #expect(answer.completed == 0)
        #expect(answer.pings.isEmpty)
    }
}
