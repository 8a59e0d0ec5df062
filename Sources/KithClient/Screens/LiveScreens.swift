import Foundation

/// A screen that events change while it is shown.
///
/// ``follow()`` keeps one screen current, ``Kith/keepCurrent(_:)`` keeps several current over one connection. An app
/// that reads the events itself gives every event to every live screen that is shown; one that does not concern the
/// screen changes nothing.
@MainActor public protocol LiveScreen: KithScreen {
    /// The client whose events change the screen.
    var kith: Kith { get }
    /// Takes in an event.
    func apply(_ event: Kith.StreamEvent) async
    /// Loads everything again. It is also called for an event that says that others were missed.
    func load() async
}

extension LiveScreen {
    /// Loads the screen and keeps it current, as ``Kith/keepCurrent(_:)`` does for several.
    ///
    /// ```swift
    /// .task { await screen.follow() }
    /// ```
    public func follow() async { await kith.keepCurrent([self]) }
}

extension Kith {
    /// Loads the screens and keeps them current over one connection, until the task is cancelled or the sign-in ends,
    /// which ``sessions`` tells.
    ///
    /// They are loaded when the events have begun, so that nothing that happens between the two is missed. While the
    /// connection cannot be made, they are loaded too, so that a screen without a network says so, and
    /// ``ScreenState/outdatedSince`` says since when they may be old. A load that has failed is repeated after the next
    /// event or connection, and about every minute; so is every load while the connection is lost. What else ends the
    /// events is shown by the screens, such as that a preview has no answer to `streamEvents`.
    @MainActor public func keepCurrent(_ screens: [any LiveScreen]) async {
        // One screen that cannot be loaded keeps no event from the others: repairs have a task of their own.
        let (wishes, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let repairs = Task { for await _ in wishes { await Self.repair(screens) } }
        // Asked here, and not when the repairs get their turn: a connection that is lost meanwhile is no reason.
        func wishRepair() {
            if screens.contains(where: Self.isToBeRepaired) { wish.yield() }
        }
        let timer = Task {
            while (try? await Task.sleep(for: .seconds(.random(in: 45...75)))) != nil { wishRepair() }
        }
        func note(_ connection: EventConnection) async {
            let acting = screens.compactMap { $0 as? any ActingScreen }
            switch connection {
            case .begun:
                for screen in acting { screen.state.connect(isResumed: false) }
                for screen in screens { await screen.load() }
            case .resumed:
                for screen in acting { screen.state.connect(isResumed: true) }
                wishRepair()
            case .lost(let silence):
                for screen in acting { screen.state.disconnect(since: now - silence) }
            case .failed:
                for screen in acting { screen.state.disconnect(since: now) }
                // The person is told once, by the first load. Later the sentence about the lost connection is enough.
                // An app's own screen keeps no such state, so it is loaded each time.
                for screen in screens {
                    let state = (screen as? any ActingScreen)?.state
                    if state.map({ !$0.isLoaded && !$0.needsLoad }) ?? true { await screen.load() }
                }
            }
        }
        defer {
            wish.finish()
            repairs.cancel()
            timer.cancel()
            // Whatever ends the events, the screens are no longer current.
            for screen in screens { (screen as? any ActingScreen)?.state.disconnect(since: now) }
        }
        do {
            for try await event in events(after: nil, onConnection: note) {
                for screen in screens {
                    await ScreenLoading.$isQuiet.withValue(true) { await screen.apply(event.content) }
                }
                wishRepair()
            }
        } catch let problem as KithProblem where !problem.isSignedOut {
            for screen in screens.compactMap({ $0 as? any ActingScreen }) where screen.state.problem == nil {
                screen.state.show(ErrorPresentation(problem, texts: screen.texts))
            }
        } catch {
            // The sign-in has ended, or the task is cancelled.
        }
    }

    /// Whether the screen's last load has failed, no event reaches it, or what it shows has changed by itself.
    @MainActor private static func isToBeRepaired(_ screen: any LiveScreen) -> Bool {
        guard let acting = screen as? any ActingScreen else { return false }
        let state = acting.state
        let hasChanged = (screen as? any ChangingScreen)?.changesAt.map { $0 <= acting.calls.now } ?? false
        return (state.needsLoad || state.isConnected == false || hasChanged) && !state.isLoading
    }

    /// Loads the screens that are to be repaired.
    @MainActor private static func repair(_ screens: [any LiveScreen]) async {
        for screen in screens where isToBeRepaired(screen) && !Task.isCancelled {
            await ScreenLoading.$isQuiet.withValue(true) { await screen.load() }
        }
    }
}

/// A live screen whose words change with time, without an event.
@MainActor protocol ChangingScreen: ActingScreen {
    /// When they change the next time; nil if they do not.
    var changesAt: Date? { get }
}

extension DashboardScreen: ChangingScreen {}
extension CheckInScreen: ChangingScreen {}

extension DashboardScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Takes in a connection that has changed or is gone, loads that of a ping that has changed, and loads everything
    /// anew if it cannot read what has changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .connection(let event):
            switch event.data {
            case .connection(let connection): apply(connection)
            case .gone(let gone): remove(gone.id)
            case .unknown: await load()
            }
        case .ping(let event):
            switch event.data {
            case .ping(let ping): await loadConnection(of: ping)
            case .gone: break
            case .unknown: await load()
            }
        case .alarm: if role == .receiver { await load() }
        case .reset: await load()
        default: break
        }
    }
}

extension CheckInScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Loads today anew when a ping, a connection, an alarm or the account has changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .ping, .connection, .alarm, .account, .reset: await load()
        default: break
        }
    }
}

extension NotificationsScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Takes in a notification that is new or was read, and loads all anew if it cannot read it.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .notification(let event):
            switch event.data {
            case .notification(let notification): apply(notification)
            case .gone: break
            case .unknown: await load()
            }
        case .notificationsRead, .reset: await load()
        default: break
        }
    }
}

extension NomineesScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Loads the page anew when a nominee of the vault has changed, or the vault was opened or locked: that changes who
    /// is active.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .nominee(let event):
            switch event.data {
            case .vaultNominee(let nominee): if nominee.vaultID == vault.id { await load() }
            case .revokedNominee(let nominee): if nominee.vaultID == vault.id { await load() }
            case .gone, .unknown: await load()
            }
        case .session(let event):
            if case .vaultSession(let session) = event.data, session.vaultID == vault.id { await load() }
        case .reset: await load()
        default: break
        }
    }
}

extension VaultScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Takes in that the vault was opened, locked or changed, and loads it anew if it cannot read how.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .session(let event):
            switch event.data {
            case .vaultSession(let session): apply(session)
            case .gone: break
            case .unknown: await load()
            }
        case .vault(let event):
            if case .vault(let changed) = event.data, changed.id == vault.id { await load() }
        case .reset: await load()
        default: break
        }
    }
}

extension EmergencyScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Loads everything anew when a request has changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .emergencyRequest, .reset: await load()
        default: break
        }
    }
}

extension ChatScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Takes in a new message and what one side has read, and loads the conversation anew if it cannot read that.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .message(let event):
            switch event.data {
            case .vaultMessage(let message): apply(message)
            case .gone: break
            case .unknown: await load()
            }
        case .conversation(let event):
            switch event.data {
            case .identifiedConversation(let conversation): apply(conversation)
            case .gone: break
            case .unknown: await load()
            }
        case .reset: await load()
        default: break
        }
    }
}

extension SharesScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Loads the shares anew when a vault has changed, of which its share is a part.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .vault, .reset: await load()
        default: break
        }
    }
}
