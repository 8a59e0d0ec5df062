import Foundation
import KithClient

/// What the app can do, one function for each command.
struct App {
    let kith: Kith

    func run(_ words: [String]) async throws {
        var rest = Array(words.dropFirst())
        switch (words[0], rest.count) {
        case ("sign-in", 1...2): try await signIn(&rest)
        case ("name", 1):
            let me = try await kith.api.updateMe(.init(displayName: .init(rest[0])))
            say("Others see you as \(me.displayName ?? "nobody").")
        case ("become-sender", 1...2): try await becomeSender(at: rest[0], in: rest.dropFirst().first)
        case ("become-receiver", 0):
            say("You are a receiver. Senders connect by your code \(try await kith.api.createReceiverProfile().code).")
        case ("connect", 1):
            let connection = try await kith.api.createConnection(.init(code: rest[0]))
            say("Connected to \(connection.shownName).")
        case ("check-in", 0...1): try await checkIn(note: rest.first)
        case ("show", 0): try await show()
        case ("watch", 0): try await watch()
        case ("sign-out", 0): try signOut()
        case ("sign-in", _), ("name", _), ("become-sender", _), ("become-receiver", _), ("connect", _), ("check-in", _),
            ("show", _), ("watch", _), ("sign-out", _):
            throw KithExample.Misuse(reason: "\(words[0]) takes another number of words.")
        default: throw KithExample.Misuse(reason: "There is no command \(words[0]).")
        }
    }

    private func say(_ line: String, end: String = "\n") { KithExample.say(line, end: end) }

    private func signIn(_ words: inout [String]) async throws {
        if let token = try KithExample.option("--token", &words) {
            try await kith.signIn(token: token)
        } else {
            let contact: KithContact = words[0].contains("@") ? .email(words[0]) : .phone(words[0])
            try await kith.sendCode(to: contact)
            say("The code sent to \(words[0]): ", end: "")
            // The boxes of a code take what a person types or pastes, and keep its digits.
            var entry = CodeEntry()
            entry.text = readLine() ?? ""
            guard let code = entry.code else { throw KithExample.Misuse(reason: "A code has six digits.") }
            try await kith.signIn(code: code, sentTo: contact)
        }
        say("You are signed in.")
        for kept in kith.keptCheckIns { say("Not sent yet: your check-in of \(kept.tappedAt.formatted()).") }
    }

    private func becomeSender(at time: String, in zone: String?) async throws {
        guard let time = Kith.TimeOfDay(time) else {
            throw KithExample.Misuse(reason: "\(time) is no time such as 09:00.")
        }
        let profile = try await kith.api.setSenderProfile(
            .init(pingTime: time, timeZone: .set(zone ?? Kith.deviceTimeZone)))
        say("You are asked every day at \(profile.pingTime), \(profile.timeZone).")
        say("Receivers connect by your code \(profile.code).")
    }

    private func checkIn(note: String?) async throws {
        let checkIn = try await kith.checkIn(note: note, shareNote: note == nil ? nil : true)
        for await state in checkIn.states {
            switch state {
            case .kept: break
            case .delayed:
                say("Not sent yet. It is kept on this machine and sent as soon as the server can be reached.")
            case .waitsForSignIn: say("Not sent yet. It is kept on this machine until you sign in again.")
            case .received: say("The server has your check-in.")
            case .refused(let problem): throw problem
            }
        }
    }

    private func show() async throws {
        let home = try await kith.api.getHome()
        say(home.me.displayName ?? "You have no name yet.")
        if let profile = home.sender?.profile {
            say("Sender, asked at \(profile.pingTime), \(profile.timeZone); code \(profile.code)")
        }
        if let profile = home.receiver?.profile { say("Receiver; code \(profile.code)") }
        for connection in (home.sender?.dashboard.items ?? []) + (home.receiver?.dashboard.items ?? []) {
            say(Self.line(connection))
        }
        say("\(home.unreadCount) unread")
        for kept in kith.keptCheckIns { say("Not sent yet: your check-in of \(kept.tappedAt.formatted())") }
    }

    /// A connection as a line: the counterpart, and how things stand with them.
    private static func line(_ connection: Kith.Connection) -> String {
        let role = connection.role == .sender ? "receives your pings" : "sends you pings"
        return "  \(connection.shownName) \(role): \(connection.state.sentence)"
    }

    /// Shows both dashboards and what their screens announce, which is what VoiceOver would read out.
    @MainActor private func watch() async throws {
        let screens = [DashboardScreen(kith, as: .sender), DashboardScreen(kith, as: .receiver)]
        let events = kith.events(onStart: { @MainActor in
            for screen in screens {
                await screen.load()
                for connection in screen.rows.connections { say(Self.line(connection)) }
            }
            say("Watching. Ctrl-C ends it.")
        })
        for try await event in events {
            for screen in screens {
                let before = screen.state.changes
                await screen.apply(event.content)
                if screen.state.changes != before, let news = screen.state.announcement { say(news) }
            }
            if case .notification(let event) = event.content, case .notification(let notification) = event.data {
                say("\(notification.title): \(notification.body)")
            }
        }
    }

    private func signOut() throws {
        let waiting = try kith.signOut()
        say("You are signed out.")
        for kept in waiting { say("Not sent until you sign in again: your check-in of \(kept.tappedAt.formatted()).") }
    }
}
