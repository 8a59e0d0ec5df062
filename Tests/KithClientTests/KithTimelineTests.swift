import Foundation
import Testing

@testable import KithClient

@Suite("A widget's timeline") struct KithTimelineTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let user = UUID()

    private func state(_ kind: Kith.StateKind, until: TimeInterval? = nil) -> Kith.State {
        Kith.State(
            kind: kind, text: kind.rawValue, detail: nil, tone: .calm, at: now, until: until.map { now + $0 })
    }

    private func timeline(
        day: Kith.State?, people: [KithTimeline.Person] = [], heard ago: TimeInterval = 0, isFresh: Bool = true,
        device skew: TimeInterval = 0
    ) -> KithTimeline {
        KithTimeline(
            KeptHome(userID: user, at: now - ago, day: day, people: people), isSignedIn: true, isFresh: isFresh,
            waiting: 0, now: now, device: now + skew, .english)
    }

    private func person(_ state: Kith.State) -> KithTimeline.Person {
        KithTimeline.Person(id: UUID(), name: "Father", state: state)
    }

    @Test(arguments: [0.0, -10800, 10800, -172_800])
    func `has what changes by itself, by the device's clock`(skew: TimeInterval) {
        let timeline = timeline(day: state(.waiting, until: 600), device: skew)
        #expect(timeline.entries.map { $0.date.timeIntervalSince(now) - skew } == [0, 600, 3600])
        #expect(timeline.entries.map(\.day?.kind) == [.waiting, .unknown, .unknown])
        #expect(timeline.reloadsAt == now + skew + 605)
    }

    @Test func `knows nothing of anybody after an hour without the server`() {
        let timeline = timeline(day: state(.safe), people: [person(state(.safe))])
        #expect(timeline.entries.map(\.day?.kind) == [.safe, .unknown])
        #expect(timeline.entries.map(\.people.first?.state.kind) == [.safe, .unknown])
        #expect(timeline.entries.map(\.outdatedSince) == [nil, now])
        #expect(timeline.reloadsAt == now + 1800)
    }

    @Test func `says since when it is not up to date, and asks again soon`() {
        let recent = timeline(day: state(.safe), heard: 1200, isFresh: false)
        #expect(recent.entries.first?.outdatedSince == now - 1200)
        #expect(recent.entries.map(\.day?.kind) == [.safe, .unknown])
        #expect(recent.reloadsAt == now + 300)
        let old = timeline(day: state(.safe), people: [person(state(.safe))], heard: 4000, isFresh: false)
        #expect(old.entries.map(\.day?.kind) == [.unknown])
        #expect(old.entries.first?.people.map(\.state.kind) == [.unknown])
    }

    @Test func `of a device on which nobody is signed in is empty`() async throws {
        // Nobody has signed in, and the server has ended the sign-in.
        for isEnded in [false, true] {
            let server = AnsweringServer { _ in .problem("unauthenticated", 401) }
            let kith = isEnded ? try server.launch(as: user, refreshToken: "r1") : try server.launch()
            let timeline = await KithExtension(kith).timeline()
            #expect(timeline.entries.map(\.isSignedIn) == [false])
            #expect(timeline.entries.first?.day == nil)
        }
    }

    @Test func `says of a state from when on it is not known, and never a later instant`() {
        let timeline = timeline(day: state(.waiting, until: 7200))
        #expect(timeline.entries.map { $0.date.timeIntervalSince(now) } == [0, 3600, 7200])
        #expect(timeline.entries[1].day?.text == timeline.entries[2].day?.text)
    }

    @Test func `says that nothing is known before the first answer`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let entry = await KithExtension(try server.launch(as: user)).timeline().entries.first
        #expect(entry?.isSignedIn == true && entry?.day == nil)
        #expect(entry?.outdatedSince == server.now)
    }

    @Test func `shows nobody what was kept for another person`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let kith = try server.launch(as: user)
        let kept = KeptHome(userID: user, at: server.now, day: state(.safe), people: [])
        try kith.http?.sessions.storage.write(JSONEncoder().encode(kept), as: KeptHome.name)
        #expect(await KithExtension(kith).timeline().entries.first?.day?.kind == .safe)
        try kith.signOut()
        #expect(server.storage.items(beginningWith: KeptHome.name) == 0)
        try kith.http?.sessions.storage.write(JSONEncoder().encode(kept), as: KeptHome.name)
        try kith.http?.sessions.signIn(
            Credentials(signIn: UUID(), userID: UUID(), accessToken: "b", refreshToken: nil, expiresAt: nil))
        #expect(await KithExtension(kith).timeline().entries.map(\.day) == [nil])
    }

    @Test func `has nobody's day when the sign-in ends while the server answers`() async throws {
        let (asked, goesOn) = (Promise<Void>(), Promise<Void>())
        let server = AnsweringServer { _ in
            asked.resolve(.success(()))
            try await goesOn.value()
            return .problem("internal", 500)
        }
        let kith = try server.launch(as: user)
        let kept = KeptHome(userID: user, at: server.now, day: state(.safe), people: [])
        kith.http?.sessions.keep(kept)
        let loading = Task { await KithExtension(kith).timeline() }
        try await asked.value()
        try kith.http?.sessions.signIn(
            Credentials(signIn: UUID(), userID: UUID(), accessToken: "b", refreshToken: nil, expiresAt: nil))
        kith.http?.sessions.keep(kept)
        goesOn.resolve(.success(()))
        #expect(await loading.value.entries.map(\.day) == [nil])
        #expect(server.storage.items(beginningWith: KeptHome.name) == 0)
    }

    @Test func `knows nothing of what a clock that was set has heard in the future`() {
        let timeline = timeline(day: state(.safe), heard: -86400, isFresh: false)
        #expect(timeline.entries.map(\.day?.kind) == [.unknown])
    }

    @Test func `counts the check-ins that wait`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let extended = KithExtension(try server.launch(as: user))
        let checkIn = try await extended.checkIn(within: .seconds(30))
        #expect(checkIn.state == .delayed)
        #expect(await extended.timeline().entries.first?.waiting == 1)
        #expect(await extended.kith.sendWhatWaits() == false)
        server.behave { _ in .received }
        #expect(await extended.kith.sendWhatWaits())
        #expect(await extended.timeline().entries.first?.waiting == 0)
    }
}
