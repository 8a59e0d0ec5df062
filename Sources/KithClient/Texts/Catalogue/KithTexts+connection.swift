// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Pause Connection”
    public var connectionPauseAction: String { known("connection.pause.action") }

    /// “Pause”
    public var connectionPauseConfirm: String { known("connection.pause.confirm") }

    /// “The connection with {name} is paused”
    public func connectionPauseDone(name: String) -> String {
        known("connection.pause.done", ["name": name])
    }

    /// “Pings will not be generated for this connection until you resume it. {name} will be notified. Until then, {name} is NOT told if you don’t check in.”
    public func connectionPauseMessage(name: String) -> String {
        known("connection.pause.message", ["name": name])
    }

    /// “Pause Connection?”
    public var connectionPauseTitle: String { known("connection.pause.title") }

    /// “Remove Connection”
    public var connectionRemoveAction: String { known("connection.remove.action") }

    /// “Remove”
    public var connectionRemoveConfirm: String { known("connection.remove.confirm") }

    /// “The connection with {name} is removed”
    public func connectionRemoveDone(name: String) -> String {
        known("connection.remove.done", ["name": name])
    }

    /// “This will remove {name} from your senders list. They will be notified. You can reconnect later if they invite you again. You are no longer told if {name} does not check in.”
    public func connectionRemoveMessageReceiver(name: String) -> String {
        known("connection.remove.message.receiver", ["name": name])
    }

    /// “This will stop sending pings to {name}. They will be notified. You can reconnect later using their code. From now on, {name} is NOT told if you don’t check in.”
    public func connectionRemoveMessageSender(name: String) -> String {
        known("connection.remove.message.sender", ["name": name])
    }

    /// “Remove Connection?”
    public var connectionRemoveTitle: String { known("connection.remove.title") }

    /// “Resume Connection”
    public var connectionResumeAction: String { known("connection.resume.action") }

    /// “The connection with {name} is active”
    public func connectionResumeDone(name: String) -> String {
        known("connection.resume.done", ["name": name])
    }

    /// “Active”
    public var connectionStatusActive: String { known("connection.status.active") }

    /// “{name}: {status}”
    public func connectionStatusAnnouncement(name: String, status: String) -> String {
        known("connection.status.announcement", ["name": name, "status": status])
    }

    /// “Removed”
    public var connectionStatusDeleted: String { known("connection.status.deleted") }

    /// “Paused”
    public var connectionStatusPaused: String { known("connection.status.paused") }

    /// “Pending”
    public var connectionStatusPending: String { known("connection.status.pending") }

    /// “Not known since {time}.”
    public func connectionUnknownSince(time: String) -> String {
        known("connection.unknown_since", ["time": time])
    }
}
