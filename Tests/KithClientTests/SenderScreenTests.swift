import Foundation
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `What is said of a person` {
    private func made(_ text: String) throws -> Kith.State { try Made.value(text) }

    @Test func `is one or two sentences of the server`() throws {
        #expect(
            try made(Made.state("safe", "calm", "You have checked in for today.")).sentence
                == "You have checked in for today.")
        #expect(
            try made(Made.state("missed", "alarm", "You missed it.", "Bob was told.")).sentence
                == "You missed it. Bob was told.")
    }

    @Test func `reads as unknown where it is new, and never as safe`() throws {
        #expect(try made(Made.state("safe", "calm", "So.")).badge.color == .success)
        for (kind, tone) in [
            ("celebrating", "calm"), ("celebrating", "joyful"), ("unknown", "unknown"), ("safe", "joyful"),
            ("break", "calm"),
        ] {
            #expect(try made(Made.state(kind, tone, "So.")).badge.color == .secondary, "\(kind) \(tone)")
        }
        #expect(try made(Made.state("celebrating", "calm", "So.")).badge.symbol == "questionmark.circle")
        #expect(try made(Made.state("help", "alarm", "So.")).badge.color == .error)
        #expect(try made(Made.state("late", "waiting", "So.", "More.")).badge.meaning == "More.")
    }

    @Test func `is not known after the instant at which it may change`() throws {
        let safe = try made(Made.state("safe", "calm", "Safe.", until: "2026-11-22T00:00:00Z"))
        let midnight = try Date("2026-11-22T00:00:00Z", strategy: .iso8601)
        #expect(safe.current(at: midnight - 1) == safe)
        let after = safe.current(at: midnight)
        #expect(after.kind == .unknown && after.text.hasPrefix("Not known since ") && after.badge.color == .secondary)
        let missed = try made(Made.state("missed", "alarm", "Missed."))
        #expect(missed.current(at: .distantFuture) == missed, "what only an event changes stands")
    }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct `The check-in screen` {
    @Test(arguments: [-10800.0, 0, 10800])
    func `goes by the server's clock, whatever the phone's says`(phone seconds: Double) async throws {
        let due = Made.state(
            "waiting", "waiting", "Let your receivers know you’re safe.", until: "2027-01-15T09:30:00Z")
        let server = AnsweringServer { request in
            .json(request.url?.path == "/v1/home" ? Made.home(Made.connection(), state: due) : "{}")
        }
        server.setWall(by: seconds)
        let kith = try server.launch(as: UUID())
        let screen = CheckInScreen(kith)
        #expect(screen.sentence == "Not loaded yet. You can check in all the same.")
        await screen.load()
        #expect(kith.now == server.now)
        #expect(screen.sentence == "Let your receivers know you’re safe.")
        server.setWall(by: -2 * seconds)
        server.pass(89 * 60)
        #expect(screen.sentence == "Let your receivers know you’re safe.")
        server.pass(61 * 60)
        #expect(screen.sentence.hasPrefix("Not known since "))
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
                    Made.connection(), state: Made.state("help", "alarm", "You have called for help."),
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

    @Test func `says the day in the words of the server, and nothing where nothing is asked`() async throws {
        let server = PreparedServer()
        let screen = CheckInScreen(server.kith)
        let missed = Made.state("missed", "alarm", "You missed today’s check-in.", "Bob was told at 10:30.")
        server.on("getHome", .json(Made.home(Made.connection(), state: missed)))
        await screen.load()
        #expect(screen.day?.kind == .missed)
        #expect(screen.sentence == "You missed today’s check-in. Bob was told at 10:30.")
        server.on("getHome", .json(Made.home()))
        await screen.load()
        #expect(screen.day == nil && screen.sentence == "Nothing to check in to today.")
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

    @Test func `shows a check-in of an earlier launch, and a refused one until it is read`()
        async throws
    {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let earlier = try server.launch(as: UUID())
        let kept = try await earlier.checkIn()
        let kith = try server.launch()
        let screen = CheckInScreen(kith)
        await screen.load()
        while screen.progress != .kept { try await Task.sleep(for: .milliseconds(1)) }
        server.behave { $0.httpMethod == "POST" ? .received : .problem("internal", 500) }
        kith.wake()
        _ = try await kept.received()
        while screen.progress == .kept { try await Task.sleep(for: .milliseconds(1)) }
        #expect(screen.progress == .received(.init(completed: 1, late: 0, pings: [])))

        server.behave { $0.httpMethod == "POST" ? .problem("not_a_sender", 422) : .problem("internal", 500) }
        let refused = try await earlier.checkIn()
        await #expect(throws: KithProblem.self) { try await refused.received() }
        let next = CheckInScreen(try server.launch())
        await next.load()
        while next.progress != .refused { try await Task.sleep(for: .milliseconds(1)) }
        next.dismissProblem()
        #expect(kith.keptCheckIns.isEmpty)
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
