import Foundation
import Testing

@testable import KithClient

@Suite("The check-ins that are kept") struct OutboxTests {
    private let wall = Date(timeIntervalSince1970: 1_800_000_000)
    private let alice = UUID()
    private let bob = UUID()

    private func checkIn(of user: UUID, at date: Date? = nil, isCorrected: Bool = true) -> KeptCheckIn {
        KeptCheckIn(
            id: UUID(), userID: user, note: nil, shareNote: nil, tappedAt: date ?? wall, isCorrected: isCorrected)
    }

    private func now(server: TimeInterval = 0) -> (reading: ClockReading, server: Date, isKnown: Bool) {
        (ClockReading(wall: wall, steady: .now), wall + server, true)
    }

    private func tappedAt(
        _ checkIn: KeptCheckIn, in outbox: inout Outbox, tap: Date? = nil, server: TimeInterval = 0
    ) -> Date? {
        outbox.prepare(checkIn.id, tap: tap, now: now(server: server))?.tappedAt
    }

    private func problem(
        _ status: Int?, _ code: String = "validation_failed", retryable: Bool = false, about field: String? = nil
    ) -> KithProblem {
        KithProblem(
            code: .init(rawValue: code), status: status, detail: "", retryable: retryable, retryAfter: nil,
            requestID: nil, errors: field.map { [.init(field: $0, message: "is wrong")] } ?? [])
    }

    @Test func `go one after the other, and only those of one person`() {
        let (late, early) = (checkIn(of: alice, at: wall + 5), checkIn(of: alice, at: wall))
        let outbox = Outbox([late, checkIn(of: bob, at: wall - 5), early])
        #expect(outbox.next(of: alice) == early)
        #expect(outbox.waiting(of: alice) == [early, late])
        #expect(outbox.next(of: UUID()) == nil)
    }

    @Test func `are the same in every try`() {
        let kept = checkIn(of: alice)
        var outbox = Outbox([kept])
        let first = outbox.prepare(kept.id, tap: nil, now: now(server: 10))
        let second = outbox.prepare(kept.id, tap: wall - 60, now: now(server: 500))
        #expect(first?.request != nil)
        #expect(first == second)
    }

    @Test func `have the moment that this process has seen, else the best that is known`() {
        let uncorrected = checkIn(of: alice, isCorrected: false)
        var outbox = Outbox([uncorrected])
        #expect(tappedAt(uncorrected, in: &outbox, tap: wall - 42) == wall - 42)
        outbox = Outbox([uncorrected])
        #expect(tappedAt(uncorrected, in: &outbox, server: -3600) == wall - 3600)
        let corrected = checkIn(of: alice, at: wall - 100)
        outbox = Outbox([corrected])
        #expect(tappedAt(corrected, in: &outbox, server: -50) == wall - 100)
        // The wall clock was set back since.
        outbox = Outbox([corrected])
        #expect(tappedAt(corrected, in: &outbox, server: -7200) == wall - 7200)
    }

    /// A check-in that an earlier process kept without having heard the server, when the wall clock was `ahead` seconds
    /// ahead of now.
    private func unheard(ahead: TimeInterval, skew: TimeInterval?, since: TimeInterval?) -> KeptCheckIn {
        KeptCheckIn(
            id: UUID(), userID: alice, note: nil, shareNote: nil, tappedAt: wall + ahead + (skew ?? 0),
            isCorrected: skew != nil, wall: wall + ahead, since: since.map { wall + $0 })
    }

    @Test func `claim no more than is certain where the wall clock was changed`() {
        let hours = 3600.0
        func moment(_ kept: KeptCheckIn, server: TimeInterval = 0) -> TimeInterval? {
            var outbox = Outbox([kept])
            return tappedAt(kept, in: &outbox, server: server).map { $0.timeIntervalSince(wall) / hours }
        }
        // Tapped 8 hours ago with a clock that was 9 hours ahead, and that the network has set right since.
        #expect(moment(unheard(ahead: hours, skew: 0, since: -8.5 * hours)) == -8.5)
        // The same with a clock that is still ahead: what is known now is better than the last skew.
        #expect(moment(unheard(ahead: -8 * hours, skew: 0, since: -20 * hours), server: -9 * hours) == -17)
        // The clock was set ahead only after the tap.
        #expect(moment(unheard(ahead: -17 * hours, skew: 0, since: -20 * hours), server: -9 * hours) == -20)
        // Nobody has ever heard the server: the server refuses it, and the person is told.
        #expect(moment(unheard(ahead: hours, skew: nil, since: nil)).map { $0 < -7 * 24 } == true)
        // A clock that was never changed.
        #expect(moment(unheard(ahead: -2 * hours, skew: 0, since: -20 * hours)) == -2)
        #expect(moment(unheard(ahead: -2 * hours, skew: nil, since: nil)) == -2)
        // Two servers, or a slow clock.
        #expect(moment(unheard(ahead: 30, skew: 0, since: -20 * hours)) == 0)
        // It began in 1970.
        #expect(moment(unheard(ahead: -400_000 * hours, skew: 0, since: -20 * hours)) == -20)
    }

    @Test func `leave when they are received, and stay when they are refused, until they are forgotten`() {
        let (first, second) = (checkIn(of: alice), checkIn(of: alice, at: wall + 1))
        var outbox = Outbox([first, second])
        let effect = outbox.finish(first.id, .received)
        #expect(effect == .remove(first))
        let refusal = problem(422)
        guard case .write(let refused) = outbox.finish(second.id, .refused(refusal)) else {
            return #expect(Bool(false))
        }
        #expect(refused.refusal == refusal)
        #expect(outbox.next(of: alice) == nil)
        #expect(outbox.checkIns == [refused])
        let effectOfForgetting = outbox.forget(second.id)
        #expect(effectOfForgetting == .remove(refused))
        #expect(outbox.checkIns.isEmpty)
    }

    @Test(arguments: ["location", "location.latitude"])
    func `go without a location that the server refuses, under another key`(field: String) throws {
        var kept = checkIn(of: alice)
        kept.location = Kith.Place(latitude: 91, longitude: 13.4, at: wall)
        // As another process reads it.
        #expect(try JSONDecoder().decode(KeptCheckIn.self, from: JSONEncoder().encode(kept)) == kept)
        var outbox = Outbox([kept])
        let first = try #require(outbox.prepare(kept.id, tap: nil, now: now())?.request)
        let body = try JSONSerialization.jsonObject(with: first.body) as? [String: Any]
        #expect((body?["location"] as? [String: Any])?["at"] as? String == "2027-01-15T08:00:00Z")
        guard case .write(let changed) = outbox.finish(kept.id, .refused(problem(422, about: field))) else {
            return #expect(Bool(false))
        }
        #expect(changed.refusal == nil && changed.location == nil)
        #expect(changed.tappedAt == wall)
        let second = try #require(changed.request)
        #expect(second.key != first.key)
        #expect(String(decoding: second.body, as: UTF8.self) == #"{"tapped_at":"2027-01-15T08:00:00Z"}"#)
        #expect(outbox.next(of: alice) == changed)
        // A refusal now concerns the tap.
        guard case .write(let refused) = outbox.finish(kept.id, .refused(problem(422, about: field))) else {
            return #expect(Bool(false))
        }
        #expect(refused.refusal != nil)
    }

    @Test func `keep a location that is not what the server refuses`() {
        var kept = checkIn(of: alice)
        kept.location = Kith.Place(latitude: 52.5, longitude: 13.4, at: wall)
        var outbox = Outbox([kept])
        guard case .write(let refused) = outbox.finish(kept.id, .refused(problem(422, about: "share_note"))) else {
            return #expect(Bool(false))
        }
        #expect(refused.refusal != nil && refused.location == kept.location)
    }

    @Test func `that wait are not forgotten`() {
        let kept = checkIn(of: alice)
        var outbox = Outbox([kept])
        let effects = [outbox.forget(kept.id), outbox.finish(kept.id, .failed)]
        #expect(effects == [.none, .none])
        #expect(outbox.next(of: alice) == kept)
    }

    @Test func `are refused for good only by the server, and for what they are`() {
        func isFinal(_ problem: KithProblem) -> Bool {
            if case .refused = Outbox.Outcome(problem) { true } else { false }
        }
        #expect(isFinal(problem(422)))
        #expect(!isFinal(problem(nil, "unreachable", retryable: true)))
        #expect(!isFinal(problem(503, "unavailable", retryable: true)))
        #expect(!isFinal(problem(401, "unauthenticated")))
        #expect(!isFinal(problem(403, "tenant_suspended")))
        #expect(!isFinal(problem(404, "not_from_kith")))
    }
}

@Suite("The server's clock") struct ServerClockTests {
    private let wall = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        ("Tue, 09 Mar 2027 12:00:00 GMT", 1_804_593_600.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2028 23:59:59 GMT", 1_835_481_599), ("Sun, 31 Dec 2000 00:00:01 GMT", 978_220_801),
    ])
    func `is read from Date`(text: String, seconds: Double) {
        #expect(ServerClock.date(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["", "yesterday", "Tue, 09 Foo 2027 12:00:00 GMT", "Tue, 09 Mar 2027 12:00:00 CET"])
    func `ignores what is no date`(text: String) {
        #expect(ServerClock.date(text) == nil)
    }

    @Test func `runs on by the steady clock, whatever happens to the wall clock`() {
        let start = ContinuousClock.now
        var clock = ServerClock()
        #expect(!clock.isKnown)
        clock.hear(wall + 3600, at: ClockReading(wall: wall, steady: start), sent: start)
        #expect(clock.skew == 3600)
        let later = ClockReading(wall: wall - 86400, steady: start + .seconds(60))
        #expect(clock.time(at: later) == wall + 3660)
    }

    @Test func `is not moved back by an answer that was long on its way`() {
        let start = ContinuousClock.now
        var clock = ServerClock()
        clock.hear(wall, at: ClockReading(wall: wall, steady: start), sent: start)
        let later = ClockReading(wall: wall + 100, steady: start + .seconds(100))
        clock.hear(wall + 1, at: later, sent: start)
        #expect(clock.time(at: later) == wall + 100)
        clock.hear(wall + 160, at: later, sent: start)
        #expect(clock.time(at: later) == wall + 160)
        clock.hear(wall + 90, at: later, sent: later.steady - .seconds(1))
        #expect(clock.time(at: later) == wall + 90)
    }

    @Test func `of an earlier launch is the wall clock with its last skew`() {
        let clock = ServerClock(skew: -90)
        #expect(clock.time(at: ClockReading(wall: wall, steady: .now)) == wall - 90)
    }
}
