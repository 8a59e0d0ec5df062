import Foundation
import Testing

@testable import KithClient

@Suite struct `The badge of a status` {
    @Test(arguments: [
        ("pending", "Pending", StatusColor.warning), ("accepted", "Accepted", .info), ("active", "Active", .success),
        ("inactive", "Inactive", .secondary), ("revoked", "Revoked", .error), ("hibernating", "Pending", .warning),
    ])
    func `names and colours a nominee as N09 says`(status: String, name: String, color: StatusColor) {
        let badge = Kith.NomineeStatus(rawValue: status).badge()
        #expect(badge.name == name)
        #expect(badge.color == color)
        #expect(badge.meaning?.isEmpty == false)
    }

    @Test func `is never a colour alone`() {
        let nominees = ["pending", "accepted", "active", "inactive", "revoked"].map {
            Kith.NomineeStatus(rawValue: $0).badge()
        }
        let connections = ["pending", "active", "paused", "deleted"].map { Kith.ConnectionStatus(rawValue: $0).badge() }
        let pings = ["scheduled", "due", "completed", "missed", "completed_late", "cancelled", "new"].map {
            Kith.PingStatus(rawValue: $0).badge()
        }
        for badges in [nominees, connections, pings] {
            #expect(Set(badges.map(\.name)).count == badges.count)
            #expect(Set(badges.map(\.symbol)).count == badges.count)
        }
    }

    @Test func `shows an unknown ping as no sign of life`() {
        #expect(Kith.PingStatus(rawValue: "answered_by_robot").badge().color == .secondary)
        #expect(Kith.ConnectionStatus(rawValue: "frozen").badge().name == "Pending")
    }
}

@Suite struct `The actions on a nominee` {
    @Test(arguments: [
        ("pending", true, [NomineeAction.resend, .remove]), ("accepted", true, [.chat, .pause, .remove]),
        ("active", true, [.chat, .pause, .remove]), ("active", false, [.chat, .remove]),
        ("inactive", true, [.resume, .remove]), ("inactive", false, [.remove]), ("revoked", true, []),
        ("hibernating", true, [.remove]),
    ])
    func `depend on the status`(status: String, isOwner: Bool, kinds: [NomineeAction]) throws {
        let nominee: Kith.Nominee = try Made.value(Made.nominee(status))
        #expect(nominee.actions(in: "Family papers", isOwner: isOwner).map(\.id) == kinds)
    }

    @Test func `confirm somebody who waits for it`() throws {
        let nominee: Kith.Nominee = try Made.value(Made.nominee("pending", needsConfirmation: true))
        #expect(nominee.actions(in: "Family papers", isOwner: true).map(\.id) == [.confirm, .remove])
        let remove = nominee.actions(in: "Family papers", isOwner: true).last
        #expect(remove?.dialog?.message.contains("Bob") == true)
        #expect(remove?.dialog?.message.contains("Family papers") == true)
    }
}

@Suite @MainActor struct `The screen of a vault` {
    private func instant(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private func screen(_ vault: String, _ server: PreparedServer = PreparedServer()) throws -> VaultScreen {
        VaultScreen(server.kith, try Made.value(vault))
    }

    @Test func `counts down by the server's clock and announces it seldom`() throws {
        let server = PreparedServer()
        let screen = try screen(Made.vault(session: Made.session()), server)
        #expect(screen.isOpen)
        #expect(screen.timeLeft == "Locks in 30 minutes")
        var announced: [String] = []
        var changes = screen.state.changes
        for second in 1...1_810 {
            server.now = try instant("2026-11-21T09:00:00Z") + Double(second)
            screen.tick()
            if screen.state.changes != changes { announced.append(screen.state.announcement ?? "") }
            changes = screen.state.changes
        }
        #expect(
            announced == [
                "Locks in 5 minutes", "Locks in 60 seconds", "Locks in 10 seconds",
                "Family papers locked itself after 30 minutes without activity",
            ])
        #expect(!screen.isOpen)
        #expect(screen.timeLeft == nil)
        #expect(screen.status == "Locked")
    }

    @Test func `shows a locked vault to a nominee as a state`() throws {
        let screen = try screen(Made.vault(role: "nominee", level: "view", status: "accepted"))
        #expect(screen.meaning == "This vault is locked. You can enter while its owner has it open.")
        #expect(screen.state.problem == nil)
        #expect(!screen.mayOpen && !screen.mayLock && !screen.mayEdit)
    }

    @Test(
        arguments: [
            ("owner", "full", nil, [true, true, true, true]),
            ("nominee", "view", "active", [true, false, false, false]),
            ("nominee", "edit", "active", [true, false, true, false]),
            ("nominee", "full", "active", [true, true, true, true]),
            ("nominee", "full", "inactive", [false, true, true, true]),
        ] as [(String, String, String?, [Bool])])
    func `offers what the access level allows`(role: String, level: String, status: String?, may: [Bool]) throws {
        let screen = try screen(Made.vault(role: role, level: level, status: status, session: Made.session()))
        #expect([screen.mayOpen, screen.mayLock, screen.mayEdit, screen.mayDelete] == may)
    }

    @Test func `takes in sessions, and no end of an older one`() throws {
        let screen = try screen(Made.vault())
        screen.apply(try Made.value(Made.session()) as Kith.VaultSession)
        #expect(screen.state.announcement == "Family papers is open")
        screen.apply(
            try Made.value(Made.session(Made.bob, locked: "2026-11-21T08:00:00Z", reason: "manual"))
                as Kith.VaultSession)
        #expect(screen.isOpen, "the end of another session")
        screen.apply(
            try Made.value(Made.session(locked: "2026-11-21T09:10:00Z", reason: "manual")) as Kith.VaultSession)
        #expect(!screen.isOpen)
        #expect(screen.state.announcement == "Family papers is locked")
    }
}

@Suite @MainActor struct `The transfer of a vault` {
    @Test func `asks twice, in words`() async throws {
        let server = PreparedServer()
        let screen = TransferScreen(
            server.kith, try Made.value(#"{"id":"\#(Made.vault)","name":"Family papers"}"#))
        screen.begin()
        #expect(screen.state.problem?.text == "Enter the recipient's name.")
        screen.name = "Bob"
        screen.begin()
        #expect(screen.dialog?.title == "Transfer Family papers?")
        await screen.confirm()
        #expect(screen.dialog?.title == "Are You Sure?")
        #expect(screen.dialog?.confirm.role == .destructive)
        #expect(server.calls.isEmpty)
        screen.cancel()
        await screen.confirm()
        #expect(server.calls.isEmpty)
        screen.begin()
        await screen.confirm()
        server.on("createTransfer", refuse: "conflict", 409, "A transfer is pending.")
        await screen.confirm()
        #expect(server.calls == ["createTransfer"])
        #expect(screen.state.problem?.text == "A transfer is pending.")
    }
}

@Suite @MainActor struct `The settings of emergency access` {
    @Test(
        arguments: [
            (168, 72, true, nil, true), (0, 72, true, nil, false), (2161, 72, true, nil, false),
            (1, 0, true, nil, false),
            (1, 721, true, nil, false), (1, 1, false, nil, false), (1, 1, false, 2, true), (1, 1, false, 31, false),
            (1, 1, true, 1, false),
        ] as [(Int, Int, Bool, Int?, Bool)])
    func `have bounds`(wait: Int, grant: Int, onRequest: Bool, days: Int?, isFine: Bool) throws {
        let screen = EmergencySettingsScreen(
            PreparedServer().kith, try Made.value(Made.nominee("accepted")),
            in: try Made.value(#"{"id":"\#(Made.vault)","name":"Family papers"}"#))
        (screen.waitHours, screen.grantHours, screen.onRequest, screen.afterMissedDays) = (wait, grant, onRequest, days)
        #expect((screen.complaint == nil) == isFine)
    }
}

@Suite @MainActor struct `A screen` {
    @Test func `runs one action at a time`() async throws {
        var state = ScreenState()
        let first = state.begin()
        let second = state.begin()
        #expect(first && !second)
        state.succeed("Done")
        #expect(state.haptic == .success && state.announcement == "Done" && !state.isBusy)
        let changes = state.changes
        state.succeed("Done")
        #expect(state.changes > changes, "a second success can be felt")
    }
}
