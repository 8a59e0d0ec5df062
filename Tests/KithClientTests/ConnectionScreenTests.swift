import Foundation
import Testing

@testable import KithClient

@Suite struct `The actions on a connection` {
    private func connection(_ role: String, _ status: String) throws -> Kith.Connection {
        try Made.value(Made.connection(role: role, status: status))
    }

    @Test(arguments: [
        ("sender", "active", [ConnectionAction.pause, .remove]), ("sender", "paused", [.resume, .remove]),
        ("sender", "pending", [.remove]), ("sender", "deleted", []), ("sender", "frozen", [.remove]),
        ("receiver", "active", [.remove]), ("receiver", "paused", [.remove]), ("receiver", "deleted", []),
    ])
    func `depend on the role and the status`(role: String, status: String, kinds: [ConnectionAction]) throws {
        #expect(try connection(role, status).actions().map(\.id) == kinds)
    }

    @Test func `have the labels, symbols, colours and dialogs of the seed`() throws {
        let actions = try connection("sender", "active").actions()
        let pause = try #require(actions.first)
        #expect(pause.label == "Pause Connection")
        #expect(pause.symbol == "pause.circle.fill")
        #expect(pause.color == .orange)
        #expect(!pause.isDestructive)
        let dialog = try #require(pause.dialog)
        #expect(dialog.title == "Pause Connection?")
        #expect(
            dialog.message
                == """
                Pings will not be generated for this connection until you resume it. Bob will be notified. Until then, \
                Bob is NOT told if you don’t check in.
                """)
        #expect(dialog.confirm == DialogButton(label: "Pause", role: .destructive))
        #expect(dialog.cancel == DialogButton(label: "Cancel", role: .cancel))

        let resume = try #require(connection("sender", "paused").actions().first)
        #expect(resume.label == "Resume Connection")
        #expect(resume.symbol == "play.circle.fill")
        #expect(resume.color == .green)
        #expect(resume.dialog == nil, "resuming asks nothing")

        let remove = try #require(actions.last)
        #expect(remove.label == "Remove Connection")
        #expect(remove.symbol == "trash.fill")
        #expect(remove.color == .red)
        #expect(remove.isDestructive)
        #expect(
            remove.dialog?.message
                == """
                This will stop sending pings to Bob. They will be notified. You can reconnect later using their \
                code. From now on, Bob is NOT told if you don’t check in.
                """
        )
        #expect(remove.dialog?.confirm == DialogButton(label: "Remove", role: .destructive))
        #expect(
            try connection("receiver", "active").actions().first?.dialog?.message
                == """
                This will remove Bob from your senders list. They will be notified. You can reconnect later if \
                they invite you again. You are no longer told if Bob does not check in.
                """
        )
    }

    @Test @MainActor func `wait for the dialog's answer, and act once`() async throws {
        let server = PreparedServer()
        let sheet = ConnectionActionsScreen(server.kith, try connection("sender", "active"))
        await sheet.choose(.pause)
        #expect(sheet.asking?.id == .pause)
        #expect(server.calls.isEmpty)
        sheet.cancel()
        await sheet.confirm()
        #expect(server.calls.isEmpty, "cancelled is cancelled")

        server.on("pauseConnection", .json(Made.connection(status: "paused")))
        await sheet.choose(.pause)
        await sheet.confirm()
        #expect(sheet.connection.status == .paused)
        #expect(sheet.isDone)
        #expect(sheet.state.announcement == "The connection with Bob is paused")
        #expect(sheet.state.haptic == .success)
        await sheet.choose(.pause)
        #expect(sheet.asking == nil, "a paused connection cannot be paused")
        #expect(server.calls == ["pauseConnection"])
    }

    @Test @MainActor func `show a refusal and leave the connection as it was`() async throws {
        let server = PreparedServer()
        let sheet = ConnectionActionsScreen(server.kith, try connection("receiver", "active"))
        server.on("deleteConnection", refuse: "unavailable", 503, "The service is busy.", after: 5)
        await sheet.choose(.remove)
        await sheet.confirm()
        #expect(sheet.connection.status == .active)
        #expect(!sheet.isDone)
        #expect(sheet.state.problem?.style == .alert)
        #expect(sheet.state.announcement == "The service is busy. Try again in 5 seconds.")
        server.on("deleteConnection", .cancelled)
        await sheet.choose(.remove)
        await sheet.confirm()
        #expect(sheet.state.problem == nil, "a cancelled action ends without a word")
        #expect(!sheet.state.isBusy)
    }
}

@Suite struct `The screen that connects` {
    @Test @MainActor func `tells the story of US-5-1`() async throws {
        let server = PreparedServer()
        let screen = ConnectScreen(server.kith, as: .sender)
        #expect(screen.entry.isFocused)
        screen.appear(clipboard: "see you")
        #expect(screen.pasteButton == nil)
        await screen.connect()
        #expect(screen.state.problem?.style == .inline)
        #expect(server.calls.isEmpty, "an incomplete code makes no call")

        screen.appear(clipboard: " 000000\n")
        #expect(screen.pasteButton == "Paste 000000")
        screen.entry.paste()
        #expect(screen.entryLabel == "6-digit code, 6 of 6 digits entered")
        server.on(
            "createConnection", refuse: "invalid_code", 404, "Invalid code. Please check and try again.")
        await screen.connect()
        #expect(screen.state.problem?.style == .inline)
        #expect(screen.state.problem?.text == "Invalid code. Please check and try again.")
        #expect(screen.state.haptic == .error)
        #expect(screen.success == nil)

        screen.entry.text = "482915"
        server.on("createConnection", .json(Made.connection()))
        await screen.connect()
        #expect(screen.success == "Connected to Bob")
        #expect(screen.state.announcement == "Connected to Bob")
        #expect(screen.state.haptic == .success)
        #expect(screen.state.problem == nil)
    }
}

@Suite struct `The rows of a dashboard` {
    @Test func `take in new, changed and removed connections without a refresh`() throws {
        var rows = DashboardRows()
        let connection: Kith.Connection = try Made.value(Made.connection())
        let added = rows.apply(connection, as: .sender)
        #expect(added)
        let repeated = rows.apply(connection, as: .sender)
        #expect(!repeated, "the same event again changes nothing")
        #expect(rows.connections.count == 1)
        let foreign = rows.apply(try Made.value(Made.connection(Made.vault, role: "receiver")), as: .sender)
        #expect(!foreign)
        let paused = rows.apply(
            try Made.value(Made.connection(status: "paused", updated: "2026-11-02T09:00:00Z")), as: .sender)
        #expect(paused)
        let stale = rows.apply(connection, as: .sender)
        #expect(!stale && rows.connections[0].status == .paused, "an older answer does not undo an event")
        let gone = rows.apply(
            try Made.value(Made.connection(status: "deleted", updated: "2026-11-03T09:00:00Z")), as: .sender)
        #expect(gone && rows.connections.isEmpty, "deleted rows are never listed")
    }

    @Test func `are in the order in which the connections were made`() throws {
        var rows = DashboardRows()
        let ids = (1...3).map { "019aa5c2-6a40-7d3b-9c11-00000000001\($0)" }
        for index in [2, 0, 1] {
            rows.apply(
                try Made.value(Made.connection(ids[index], created: "2026-11-0\(index + 1)T09:00:00Z")), as: .sender)
        }
        #expect(rows.connections.map { $0.id.uuidString.lowercased() } == ids)
    }

    @Test @MainActor func `announce what a receiver must know`() async throws {
        let server = PreparedServer()
        let screen = DashboardScreen(server.kith, as: .receiver)
        #expect(screen.placeholder == nil, "nothing is known yet")
        func row(_ text: String) throws -> Kith.Connection {
            try Made.value(
                Made.connection(role: "receiver", name: "Alice", state: Made.state("waiting", "waiting", text)))
        }
        server.on(
            "getDashboard",
            .json(
                #"{"role":"receiver","date":"2026-11-21","items":[],"next_cursor":null,"open_pings":0,"deadline_at":null}"#
            ))
        await screen.load()
        #expect(screen.placeholder == "Nobody sends you pings yet.")
        screen.apply(try row("Not yet checked in."))
        #expect(screen.state.announcement == "Alice: Active")
        screen.apply(try row("Has not checked in."))
        #expect(screen.state.announcement == "Alice: Has not checked in.")
        screen.apply(try row("Safe: checked in late, at 11:00."))
        #expect(screen.state.announcement == "Alice: Safe: checked in late, at 11:00.")
    }

    @Test @MainActor func `take in the events of the stream`() async throws {
        let server = PreparedServer()
        let screen = DashboardScreen(server.kith, as: .sender)
        func event(_ type: String, _ data: String) throws -> Kith.StreamEvent {
            try Made.value(#"{"id":"1-2-3","event":"\#(type)","data":\#(data)}"#)
        }
        await screen.apply(try event("connection", Made.connection(ping: Made.ping("due"))))
        #expect(screen.rows.connections.count == 1 && screen.rows.openPings == 1)
        let done = Made.ping("completed", completed: "2026-11-21T09:02:00Z")
        server.on("getConnection", .json(Made.connection(ping: done)))
        await screen.apply(try event("ping", done))
        #expect(screen.rows.connections.first?.todayPing?.status == .completed && screen.rows.openPings == 0)
        server.on("getConnection", refuse: "unavailable", 503, "Busy.")
        await screen.apply(try event("ping", Made.ping("missed")))
        let row = try #require(screen.rows.connections.first)
        #expect(screen.state(of: row).text.hasPrefix("Not known since "), "what could not be read is not known")
        await screen.apply(try event("gossip", "{}"))
        #expect(screen.rows.connections.count == 1, "an unknown event changes nothing")
        await screen.apply(try event("connection", #"{"id":"\#(Made.link)","status":"deleted"}"#))
        #expect(screen.rows.connections.isEmpty)
        await screen.apply(try event("reset", #"{"reason":"too_old"}"#))
        #expect(server.calls.last == "getDashboard", "what was missed is loaded")
    }
}
