import Foundation
import Testing

@testable import KithClient

@Suite(.timeLimit(.minutes(10))) @MainActor struct `A screen that follows the events` {
    private static func page(_ connections: String...) -> String {
        """
        {"role":"sender","date":"2026-11-21","items":[\(connections.joined(separator: ","))],"next_cursor":null,
        "open_pings":0,"deadline_at":null}
        """
    }

    /// Lets a screen follow until `condition` holds, then ends the task.
    private func follow(
        _ screens: [any LiveScreen], _ server: PreparedServer, until condition: @MainActor () -> Bool
    ) async {
        let kith = Kith(caller: server)
        let following = Task { await kith.keepCurrent(screens) }
        while !condition() { await Task.yield() }
        following.cancel()
        await following.value
    }

    @Test func `is loaded once, when the events have begun, so that it misses nothing between the two`() async {
        let server = PreparedServer()
        server.on("getDashboard", .json(Self.page(Made.connection(ping: Made.ping("due")))))
        let done = Made.ping("completed", completed: "2026-11-21T09:02:00Z")
        server.on("getConnection", .json(Made.connection(ping: done)))
        server.stream([("ping", done)])
        let screen = DashboardScreen(Kith(caller: server), as: .sender)
        await follow([screen], server) { screen.rows.connections.first?.todayPing?.status == .completed }
        #expect(server.calls == ["streamEvents", "getDashboard", "getConnection"])
    }

    @Test func `has the number to call when a ping is missed, and no longer after the check-in`() async {
        let server = PreparedServer()
        let (due, missed) = (Made.ping("due"), Made.ping("missed"))
        let late = Made.ping("completed_late", completed: "2026-11-21T11:00:00Z")
        server.on("getDashboard", .json(Self.page(Made.connection(role: "receiver", name: "Alice", ping: due))))
        server.on(
            "getConnection",
            .json(
                Made.connection(
                    role: "receiver", name: "Alice", ping: missed, missed: missed, call: #"{"phone":"+4915112345678"}"#)
            ))
        server.on("getConnection", .json(Made.connection(role: "receiver", name: "Alice", ping: late)))
        server.stream([("ping", missed)], ends: true)
        server.stream([("ping", late)])
        let screen = DashboardScreen(Kith(caller: server), as: .receiver)
        let checkIn = server.hold("streamEvents", from: 2)
        await follow([screen], server) {
            let row = screen.rows.connections.first
            if row?.call?.phone == "+4915112345678" { checkIn.resolve(.success(())) }
            return row?.todayPing?.status == .completedLate && row?.call == nil
        }
        #expect(screen.rows.connections.first?.missedPing == nil)
        #expect(server.calls.count { $0 == "getConnection" } == 2)
    }

    @Test func `says since when it may be old while the events are lost, and loads again`() async {
        let server = PreparedServer()
        server.on("getDashboard", .json(Self.page(Made.connection(name: "Carol"))))
        server.stream([], ends: true)
        let screen = DashboardScreen(Kith(caller: server), as: .sender)
        await follow([screen], server) { screen.state.isConnected == false }
        #expect(screen.outdated?.hasPrefix("Not up to date since ") == true)
        #expect(screen.state.problem == nil, "the person has tried nothing")
        #expect(screen.rows.connections.first?.shownName == "Carol")
        server.on("getDashboard", .json(Self.page(Made.connection(name: "Dora"))))
        server.stream([])
        await follow([screen], server) { screen.rows.connections.first?.shownName == "Dora" }
    }

    @Test func `loads again what has changed by itself`() async {
        let server = PreparedServer()
        func page(_ text: String, until: String?) -> String {
            Self.page(Made.connection(state: Made.state("waiting", "waiting", text, until: until)))
        }
        // Its time was up before it was loaded.
        server.on("getDashboard", .json(page("There is time.", until: "2001-01-01T09:30:00Z")))
        server.on("getDashboard", .json(page("The time is up.", until: nil)))
        server.stream([("notification", "{}")])
        let screen = DashboardScreen(Kith(caller: server), as: .sender)
        await follow([screen], server) { screen.rows.connections.first?.state.text == "The time is up." }
        #expect(server.calls.count { $0 == "getDashboard" } == 2)
    }

    @Test func `says late of a ping only where somebody had been told`() throws {
        let at = "2026-11-21T09:40:00Z"
        let told: Kith.Ping = try Made.value(
            Made.ping("completed_late", completed: at, told: "2026-11-21T09:31:00Z"))
        let untold: Kith.Ping = try Made.value(Made.ping("completed_late", completed: at))
        #expect(untold.badge().name == "Checked In" && told.badge().name == "Checked In Late")
        let pending: Kith.Connection = try Made.value(Made.connection(status: "pending", ping: Made.ping("due")))
        #expect(DashboardRows([pending]).openPings == 0)
    }

    @Test func `shows no answer from before another`() async {
        let now = Date()
        var state = ScreenState()
        let (first, second) = (state.beginLoad(), state.beginLoad())
        #expect(state.isLoading && !state.isBusy && !state.isLoaded)
        let isShown = (state.finishLoad(second, at: now), state.finishLoad(first, at: now))
        #expect(isShown == (true, false))
        #expect(state.isLoaded && !state.isLoading)
        // Whoever follows the events learns when they were lost, and a load that succeeds meanwhile is the newest word.
        state.connect(isResumed: true)
        #expect(state.outdatedSince == nil)
        state.disconnect(since: now)
        #expect(state.outdatedSince == now)
        _ = state.finishLoad(state.beginLoad(), at: now + 60)
        #expect(state.outdatedSince == now + 60)
        // Whether the screen is current is known when it has been loaded, or when the missed events come.
        state.connect(isResumed: false)
        #expect(state.outdatedSince == now + 60)
        state.connect(isResumed: true)
        #expect(state.outdatedSince == nil)
        // A failure that stays one is not repeated; a lost network is.
        let gone = KithProblem(
            code: .notFound, status: 404, detail: "Gone.", retryable: false, retryAfter: nil, requestID: nil, errors: []
        )
        state.failLoad(state.beginLoad(), gone, .english, at: now, isQuiet: true)
        #expect(!state.needsLoad && state.problem == nil && state.outdatedSince == now)
        state.failLoad(state.beginLoad(), URLError(.notConnectedToInternet), .english, at: now + 1, isQuiet: true)
        #expect(state.needsLoad && state.outdatedSince == now)
        // A part of the screen says nothing of the rest.
        state.beginPart()
        state.endPart(nil, .english)
        #expect(state.needsLoad)
        // A load that succeeds leaves the refusal of an action on the screen.
        state.fail(KithProblem.signedOut, .english)
        _ = state.finishLoad(state.beginLoad(), at: now)
        #expect(state.problem != nil)
    }

    @Test func `is loaded anew when events were missed`() async {
        let server = PreparedServer()
        server.on("getDashboard", .json(Self.page()))
        server.on("getDashboard", .json(Self.page(Made.connection(name: "Carol"))))
        server.stream([("reset", #"{"reason":"too_old"}"#)])
        let screen = DashboardScreen(Kith(caller: server), as: .sender)
        await follow([screen], server) { screen.rows.connections.first?.shownName == "Carol" }
        #expect(server.calls == ["streamEvents", "getDashboard", "getDashboard"])
    }

    @Test func `is loaded anew when it cannot read what has changed`() async {
        let server = PreparedServer()
        server.on("getDashboard", .json(Self.page()))
        server.on("getDashboard", .json(Self.page(Made.connection(name: "Carol"))))
        server.stream([("connection", #"{"id":"\#(Made.link)","status":"active","counterpart":7}"#)])
        let screen = DashboardScreen(Kith(caller: server), as: .sender)
        await follow([screen], server) { screen.rows.connections.first?.shownName == "Carol" }
        #expect(server.calls == ["streamEvents", "getDashboard", "getDashboard"])
    }

    @Test func `shares one connection with the other screens, and goes on when that is lost`() async {
        let server = PreparedServer()
        for _ in 0..<2 { server.on("getDashboard", .json(Self.page())) }
        server.on("getHome", .json(Made.home()))
        server.stream([("connection", Made.connection())], ends: true)
        server.stream([("connection", Made.connection(Made.vault, role: "receiver", name: "Dora"))])
        let kith = Kith(caller: server)
        let (receivers, senders) = (DashboardScreen(kith, as: .sender), DashboardScreen(kith, as: .receiver))
        await follow([receivers, senders], server) { !senders.rows.connections.isEmpty }
        #expect(receivers.rows.connections.map(\.shownName) == ["Bob"])
        #expect(senders.rows.connections.map(\.shownName) == ["Dora"])
        // The second connection goes on after the last event, so nothing was missed and nothing is loaded.
        #expect(server.calls.count { $0 == "streamEvents" } == 2)
        #expect(server.calls.count { $0 == "getDashboard" } == 2)
    }

    @Test func `shows that there is no network, and ends with the sign-in`() async {
        let server = PreparedServer()
        server.on("getDashboard", refuse: "unreachable", nil, "No network.")
        server.on("streamEvents", refuse: "unauthenticated", 401, "Sign in.")
        let screen = DashboardScreen(Kith(caller: server), as: .sender)
        await screen.follow()
        #expect(screen.state.problem?.text == KithTexts.english.problemUnreachable)
        #expect(server.calls == ["streamEvents", "getDashboard"])
    }

    @Test func `shows a new message, and that it was read on another device`() async {
        let server = PreparedServer()
        let message = #"""
            "id":"\#(Made.link)","from":{"id":"\#(Made.bob)","display_name":"Bob"},"body":"Hello",
            "created_at":"2026-11-21T09:00:00Z","read_at":null
            """#
        let place = #""nominee_id":"\#(Made.bob)""#
        let conversation = #"""
            {"id":"\#(Made.bob)",\#(place),"role":"owner","vault":{"id":"\#(Made.vault)","name":"Papers"},
            "counterpart":{"id":"\#(Made.bob)","display_name":"Bob"},"unread_count":0,"read_until":null,
            "last_message":{\#(message)}}
            """#
        server.on("listMessages", .json(#"{"items":[],"next_cursor":null,"unread_count":0}"#))
        server.stream([("message", #"{\#(message),"vault_id":"\#(Made.vault)",\#(place)}"#)], ends: true)
        server.stream([("conversation", conversation)])
        let (vault, bob) = (UUID(uuidString: Made.vault) ?? UUID(), UUID(uuidString: Made.bob) ?? UUID())
        let screen = ChatScreen(Kith(caller: server), .init(id: vault, name: "Papers"), nominee: bob, with: "Bob")
        let reading = server.hold("streamEvents", from: 2)
        var isUnread = false
        await follow([screen], server) {
            if screen.unreadCount == 1 {
                isUnread = true
                reading.resolve(.success(()))
            }
            return isUnread && screen.unreadCount == 0
        }
        #expect(screen.messages.map(\.body) == ["Hello"])
        #expect(screen.state.announcement == "Bob: Hello")
        #expect(server.calls == ["streamEvents", "listMessages", "streamEvents"])
    }
}
