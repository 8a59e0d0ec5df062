/// A screen that events change while it is shown.
///
/// Give every event of the stream to every live screen that is shown. One that does not concern the screen changes nothing.
@MainActor public protocol LiveScreen: KithScreen {
    /// Takes in an event.
    func apply(_ event: Kith.StreamEvent) async
    /// Loads everything again. It is also called for an event that says that others were missed.
    func load() async
}

extension DashboardScreen: LiveScreen {
    /// Takes in a connection or a ping that has changed or is gone.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .connection(let event):
            switch event.data {
            case .connection(let connection): apply(connection)
            case .gone(let gone): remove(gone.id)
            case .unknown: break
            }
        case .ping(let event):
            if case .ping(let ping) = event.data { apply(ping) }
        case .reset: await load()
        default: break
        }
    }
}

extension CheckInScreen: LiveScreen {
    /// Loads today anew when a ping, a connection or the account has changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .ping, .connection, .account, .reset: await load()
        default: break
        }
    }
}

extension NotificationsScreen: LiveScreen {
    /// Takes in a notification that is new or was read.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .notification(let event):
            if case .notification(let notification) = event.data { apply(notification) }
        case .notificationsRead, .reset: await load()
        default: break
        }
    }
}

extension NomineesScreen: LiveScreen {
    /// Loads the page anew when a nominee of the vault has changed, or the vault was opened or locked: that changes who is active.
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
    /// Takes in that the vault was opened, locked or changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .session(let event):
            if case .vaultSession(let session) = event.data { apply(session) }
        case .vault(let event):
            if case .vault(let changed) = event.data, changed.id == vault.id { await load() }
        case .reset: await load()
        default: break
        }
    }
}

extension EmergencyScreen: LiveScreen {
    /// Loads everything anew when a request has changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .emergencyRequest, .reset: await load()
        default: break
        }
    }
}
