import Foundation
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

    @Test func `is an own call for help or a question, and no check-in from before`() throws {
        let done = try pings(Made.ping("completed", completed: "2026-11-21T09:02:00Z"))
        func today(_ alarms: String...) throws -> Today {
            Today(pings: done, alarms: try alarms.map { try Made.value($0) }, break: nil, on: day)
        }
        let (help, unanswered) = (
            Made.openAlarm("help", role: "sender"), Made.openAlarm("unanswered", role: "sender")
        )
        #expect(try today(unanswered, help) == .calledForHelp)
        #expect(try today(unanswered) == .unanswered)
        #expect(try today(Made.openAlarm("help")) == .done(at: try instant("2026-11-21T09:02:00Z"), late: false))
        for today in [try today(help), try today(unanswered)] {
            #expect(!today.sentence(at: .now, in: utc).contains("You checked in"))
        }
    }

    @Test func `is late only where somebody had been told`() throws {
        let at = "2026-11-21T09:40:00Z"
        for told in [nil, "2026-11-21T09:31:00Z"] {
            let late = try pings(Made.ping("completed_late", completed: at, told: told))
            #expect(
                Today(pings: late, break: nil, on: day) == .done(at: try instant(at), late: told != nil))
        }
    }

    @Test func `lasts until Kith judges, if that is after the deadline`() throws {
        let due = try pings(Made.ping("due", judged: "2026-11-21T09:50:00Z"))
        let today = Today(pings: due, break: nil, on: day)
        #expect(
            today.sentence(at: try instant("2026-11-21T09:40:00Z"), in: utc)
                == "Let your receivers know you're safe. 10 minutes left to check in.")
    }

    @Test func `asks as soon as the ping's time has come`() throws {
        let today = Today(pings: try pings(Made.ping("scheduled")), break: nil, on: day)
        let before = today.sentence(at: try instant("2026-11-21T08:59:59Z"), in: utc)
        #expect(before.hasPrefix("Your next check-in is at "))
        #expect(
            today.sentence(at: try instant("2026-11-21T09:00:00Z"), in: utc) == "Let your receivers know you're safe.")
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
    @Test(arguments: [-10800.0, 0, 10800])
    func `counts by the server's clock, whatever the phone's says`(phone seconds: Double) async throws {
        let server = AnsweringServer { request in
            .json(
                request.url?.path == "/v1/home"
                    ? Made.home(Made.connection(ping: Made.ping("due", on: "2027-01-15"))) : "{}")
        }
        server.setWall(by: seconds)
        let kith = try server.launch(as: UUID())
        let screen = CheckInScreen(kith)
        await screen.load()
        #expect(kith.now == server.now)
        #expect(screen.sentence == "Let your receivers know you're safe. 90 minutes left to check in.")
        server.setWall(by: -2 * seconds)
        server.pass(30 * 60)
        #expect(screen.sentence == "Let your receivers know you're safe. 60 minutes left to check in.")
        server.pass(61 * 60)
        #expect(screen.sentence == "Let your receivers know you're safe.")
    }

    @Test func `asks before it ends the person's own call for help, whatever was loaded`() async throws {
        let server = PreparedServer()
        let kith = server.kith
        let (help, screen) = (HelpScreen(kith), CheckInScreen(kith))
        #expect(screen.action.dialog == nil)
        help.ask()
        server.on("callForHelp", .json(Made.called()))
        await help.confirm()
        // A double tap, and a third.
        for _ in 0..<3 { await screen.checkIn() }
        #expect(!server.calls.contains("checkIn"))
        #expect(screen.asking?.dialog?.title == "End your call for help?")
        #expect(screen.asking?.dialog?.confirm.role == .destructive)
        screen.cancel()
        await screen.confirm()
        #expect(!server.calls.contains("checkIn"), "a cancelled dialog ends nothing")

        await screen.checkIn()
        server.on("checkIn", .json(#"{"completed":1,"late":0,"pings":[]}"#))
        server.on("getHome", .json(Made.home()))
        await screen.confirm()
        #expect(server.calls.suffix(2) == ["checkIn", "getHome"])
        #expect(screen.action.dialog == nil, "the call is over")
    }

    @Test func `asks also where another device or an earlier launch has called`() async throws {
        let server = PreparedServer()
        let screen = CheckInScreen(server.kith)
        server.on(
            "getHome",
            .json(
                Made.home(
                    Made.connection(ping: Made.ping("completed", completed: "2026-11-21T09:02:00Z")),
                    alarms: Made.openAlarm("help", role: "sender"))))
        await screen.load()
        #expect(screen.sentence == "You have called for help.")
        await screen.checkIn()
        #expect(screen.asking != nil && server.calls == ["getHome"])
    }

    @Test func `believes no answer from before a call for help, or from while it was on its way`() async throws {
        let server = PreparedServer()
        let kith = server.kith
        let (help, screen) = (HelpScreen(kith), CheckInScreen(kith))
        let network = server.hold("callForHelp")
        server.on("callForHelp", .json(Made.called()))
        help.ask()
        let calling = Task { await help.confirm() }
        while !server.calls.contains("callForHelp") { await Task.yield() }
        server.on("getHome", .json(Made.home()))
        await screen.load()
        network.resolve(.success(()))
        await calling.value
        #expect(screen.action.dialog != nil)
    }

    @Test func `says beside a miss what a receiver has said, until the person checks in`() async throws {
        let server = PreparedServer()
        let screen = CheckInScreen(server.kith)
        let missed = Made.ping("missed", told: "2026-11-21T09:31:00Z")
        for (outcome, by) in [("safe", #"{"id":null,"display_name":"Bob"}"#), ("help_called", "null")] {
            let said = #"{"at":"2026-11-21T10:00:00Z","outcome":"\#(outcome)","by":\#(by)}"#
            server.on("getHome", .json(Made.home(Made.connection(ping: missed, missed: missed, said: said))))
            await screen.load()
            #expect(screen.today == .missed)
            #expect(screen.sentence.hasPrefix("You missed today's check-in."))
            #expect(screen.sentence.hasSuffix("Your own check-in is still missing."))
            #expect(
                screen.sentence.contains(
                    outcome == "safe"
                        ? "Bob said that you are safe (" : "Another receiver called the emergency number for you ("))
        }
        let done = Made.ping("completed_late", completed: "2026-11-21T10:30:00Z", told: "2026-11-21T09:31:00Z")
        server.on("getHome", .json(Made.home(Made.connection(ping: done))))
        await screen.load()
        #expect(screen.sentence.hasPrefix("You checked in late, at "))
    }

    @Test func `asks nothing for a connection that waits for a consent`() async throws {
        let server = PreparedServer()
        let screen = CheckInScreen(server.kith)
        server.on("getHome", .json(Made.home(Made.connection(status: "pending", ping: Made.ping("due")))))
        await screen.load()
        #expect(screen.today == .nothing)
    }

    @Test func `says of a kept check-in that it waits for the sign-in, and sends it then`() async throws {
        let alice = UUID()
        let server = AnsweringServer { request in
            guard request.value(forHTTPHeaderField: "Authorization") == "Bearer new" else {
                return .problem("unauthenticated", 401)
            }
            return switch request.url?.path {
            case "/v1/me": .json(#"{"id":"\#(alice)"}"#)
            case "/v1/home": .json(Made.home())
            default: .received
            }
        }
        let kith = try server.launch(as: alice)
        let screen = CheckInScreen(kith)
        let checkIn = Task { await screen.checkIn() }
        while screen.progress == .idle || screen.progress == .sending { await Task.yield() }
        #expect(screen.progress == .waitsForSignIn)
        #expect(screen.progress.sentence()?.contains("will be sent when you have signed in again") == true)
        #expect(screen.state.announcement == KithTexts.english.checkInKeptSignIn)
        try await kith.signIn(token: "new")
        await checkIn.value
        guard case .received = screen.progress else {
            Issue.record("\(screen.progress)")
            return
        }
    }

    @Test func `says so also when the sign-in ends later, and so does the screen that signs in`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let kith = try server.launch(as: UUID())
        let (screen, signIn) = (CheckInScreen(kith), SignInScreen(kith))
        let checkIn = Task { await screen.checkIn() }
        while screen.progress != .kept { await Task.yield() }
        #expect(signIn.kept == nil, "nothing waits for a sign-in")
        _ = try kith.signOut()
        while screen.progress == .kept { await Task.yield() }
        #expect(screen.progress == .waitsForSignIn)
        #expect(signIn.kept?.hasPrefix("1 check-in has not been sent yet.") == true)
        checkIn.cancel()
    }

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
