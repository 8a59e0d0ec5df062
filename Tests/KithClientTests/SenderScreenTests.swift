import Foundation
import Testing

@testable import KithClient

@Suite struct `What today is about` {
    private let utc = TimeZone(identifier: "UTC") ?? .current
    private let day: Kith.LocalDate = "2026-11-21"

    private func pings(_ texts: String...) throws -> [Kith.Ping] { try texts.map { try Made.value($0) } }
    private func instant(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test func `is the most urgent ping`() throws {
        let (later, due, missed) = (Made.ping("scheduled", at: "18"), Made.ping("due"), Made.ping("missed"))
        let done = Made.ping("completed", completed: "2026-11-21T09:02:00Z")
        #expect(Today(pings: try pings(later, due, missed), break: nil, on: day) == .missed)
        #expect(
            Today(pings: try pings(later, due), break: nil, on: day)
                == .due(deadline: try instant("2026-11-21T09:30:00Z")))
        #expect(
            Today(pings: try pings(later, done), break: nil, on: day)
                == .later(at: try instant("2026-11-21T18:00:00Z")))
        #expect(
            Today(pings: try pings(done), break: nil, on: day)
                == .done(at: try instant("2026-11-21T09:02:00Z"), late: false))
        #expect(Today(pings: try pings(Made.ping("cancelled")), break: nil, on: day) == .nothing)
    }

    @Test func `is a miss that nobody has answered, whatever the new day brings`() throws {
        let misses = try pings(Made.ping("missed"))
        let next = try pings(Made.ping("scheduled", on: "2026-11-22"))
        let rest: Kith.Break = try Made.value(#"{"from":"2026-11-22","until":"2026-11-25"}"#)
        for pause in [nil, rest] {
            let today = Today(pings: next, misses: misses, break: pause, on: "2026-11-22")
            #expect(today == .missedEarlier(on: day))
            #expect(today.sentence(at: .now, in: utc).hasPrefix("You missed the check-in of November 21, 2026."))
        }
        #expect(Today(pings: [], misses: misses, break: nil, on: day) == .missed)
    }

    @Test @MainActor func `is not known before it was loaded`() {
        let screen = CheckInScreen(PreparedServer().kith)
        #expect(screen.today.sentence(at: .now, in: utc) == "Not loaded yet. You can check in all the same.")
    }

    @Test func `is a break within its dates`() throws {
        let rest: Kith.Break = try Made.value(#"{"from":"2026-11-20","until":"2026-11-21"}"#)
        #expect(Today(pings: [], break: rest, on: day) == .onBreak(until: "2026-11-21"))
        #expect(Today(pings: [], break: rest, on: "2026-11-22") == .nothing)
        #expect(Today(pings: [], break: rest, on: "2026-11-19") == .nothing)
    }

    @Test func `names the last day of a break as the language does`() {
        let rest = Today.onBreak(until: "2026-12-01")
        // A zone far from UTC does not move the day.
        let zone = TimeZone(identifier: "Pacific/Kiritimati") ?? .current
        #expect(rest.sentence(at: .now, in: zone) == "You are on a break until December 1, 2026.")
    }

    @Test(arguments: [
        ("2026-11-21T09:15:00Z", "Let your receivers know you're safe. 15 minutes left to check in."),
        ("2026-11-21T09:29:00Z", "Let your receivers know you're safe. 1 minute left to check in."),
        ("2026-11-21T09:29:30Z", "Let your receivers know you're safe. 1 minute left to check in."),
        ("2026-11-21T09:31:00Z", "Let your receivers know you're safe."),
    ])
    func `counts the minutes that are left`(now: String, sentence: String) throws {
        let today = Today.due(deadline: try instant("2026-11-21T09:30:00Z"))
        #expect(today.sentence(at: try instant(now), in: utc) == sentence)
    }

    @Test func `writes times in the sender's zone`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let done = Today.done(at: try instant("2026-11-21T09:02:00Z"), late: false)
        let sentence = done.sentence(at: try instant("2026-11-21T10:00:00Z"), in: berlin)
        #expect(sentence.contains("10:02"))
        #expect(sentence.hasPrefix("You checked in at "))
    }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct `The check-in screen` {
    @Test func `says that the server has the check-in only when it has it`() async throws {
        let server = PreparedServer()
        let screen = CheckInScreen(server.kith)
        #expect(screen.button == "I'm safe")
        server.on("checkIn", refuse: "forbidden", 403, "No.")
        await screen.checkIn()
        #expect(screen.progress == .refused)
        #expect(screen.progress.sentence()?.contains("do not know") == true)
        server.on("checkIn", .cancelled)
        await screen.checkIn()
        #expect(screen.progress == .idle)
        screen.note = "All well"
        server.on("checkIn", .json(#"{"completed":1,"late":0,"pings":[]}"#))
        server.on("getHome", refuse: "unavailable", 503, "Busy.")
        await screen.checkIn()
        guard case .received(let checkIn) = screen.progress else {
            Issue.record("\(screen.progress)")
            return
        }
        #expect(checkIn.completed == 1)
        #expect(screen.note == "")
    }

    @Test func `takes a tap while it is being loaded`() async throws {
        let server = PreparedServer()
        let network = server.hold("getHome")
        server.on("checkIn", .json(#"{"completed":1,"late":0,"pings":[]}"#))
        let screen = CheckInScreen(server.kith)
        let loading = Task { await screen.load() }
        while server.calls.isEmpty { await Task.yield() }
        #expect(!screen.state.isBusy, "the button is there")
        let tap = Task { await screen.checkIn() }
        while screen.progress == .idle || screen.progress == .sending { await Task.yield() }
        guard case .received = screen.progress else {
            Issue.record("\(screen.progress)")
            return
        }
        server.on("getHome", refuse: "unavailable", 503, "Busy.")
        server.on("getHome", refuse: "unavailable", 503, "Busy.")
        network.resolve(.success(()))
        await loading.value
        await tap.value
        #expect(screen.state.problem?.text == "Busy.")
        #expect(screen.state.outdatedSince != nil)
    }

    @Test func `says that a check-in is not sent yet once a try has failed`() async throws {
        let network = Promise<Void>()
        let server = AnsweringServer { _ in
            try await network.value()
            throw URLError(.notConnectedToInternet)
        }
        let screen = CheckInScreen(try server.launch(as: UUID()))
        let checkIn = Task { await screen.checkIn() }
        while screen.progress == .idle || screen.state.isBusy { await Task.yield() }
        #expect(screen.progress == .sending)
        #expect(screen.state.announcement == nil)
        network.resolve(.success(()))
        while screen.progress == .sending { await Task.yield() }
        #expect(screen.progress == .kept)
        #expect(screen.state.announcement == KithTexts.english.checkInKept)
        #expect(!screen.state.isBusy, "the person may tap again")
        checkIn.cancel()
    }
}

@Suite @MainActor struct `The sender's profile` {
    @Test func `is not saved while the first load runs, so that it replaces nothing unseen`() async {
        let server = PreparedServer()
        let network = server.hold("getHome")
        let screen = SenderProfileScreen(server.kith)
        let loading = Task { await screen.load() }
        while server.calls.isEmpty { await Task.yield() }
        await screen.save()
        network.resolve(.success(()))
        await loading.value
        #expect(server.calls == ["getHome"])
    }

    @Test(arguments: [
        (90, 15, true), (5, 4, true), (719, 718, true), (4, 1, false), (720, 15, false), (15, 15, false),
        (15, 0, false),
    ])
    func `has bounds, which it checks before a call`(grace: Int, reminder: Int, isFine: Bool) async {
        let server = PreparedServer()
        let screen = SenderProfileScreen(server.kith)
        (screen.graceMinutes, screen.reminderMinutes) = (grace, reminder)
        #expect((screen.complaint == nil) == isFine)
        await screen.save()
        #expect(server.calls == (isFine ? ["setSenderProfile"] : []))
    }
}
