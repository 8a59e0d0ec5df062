// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “+”
    public var nomineesAdd: String { known("nominees.add") }

    /// “Invite a nominee”
    public var nomineesAddLabel: String { known("nominees.add.label") }

    /// “The access of {name} has changed”
    public func nomineesChanged(name: String) -> String {
        known("nominees.changed", ["name": name])
    }

    /// “Chat”
    public var nomineesChat: String { known("nominees.chat") }

    /// “Confirm Access”
    public var nomineesConfirm: String { known("nominees.confirm") }

    /// “{name} has access to {vault}”
    public func nomineesConfirmed(name: String, vault: String) -> String {
        known("nominees.confirmed", ["name": name, "vault": vault])
    }

    /// “Nobody is a nominee of this vault yet.”
    public var nomineesEmpty: String { known("nominees.empty") }

    /// “Access History”
    public var nomineesHistory: String { known("nominees.history") }

    /// “Invite via Messages”
    public var nomineesInviteViaMessages: String { known("nominees.invite_via_messages") }

    /// “Owner”
    public var nomineesOwner: String { known("nominees.owner") }

    /// “Vault Detail → Sharing → Manage Nominees”
    public var nomineesPath: String { known("nominees.path") }

    /// “Pause Access”
    public var nomineesPause: String { known("nominees.pause") }

    /// “Remove Nominee”
    public var nomineesRemove: String { known("nominees.remove") }

    /// “Remove”
    public var nomineesRemoveConfirm: String { known("nominees.remove.confirm") }

    /// “This will end the access of {name} to {vault} at once. They will be notified. You can invite them again later.”
    public func nomineesRemoveMessage(name: String, vault: String) -> String {
        known("nominees.remove.message", ["name": name, "vault": vault])
    }

    /// “Remove Nominee?”
    public var nomineesRemoveTitle: String { known("nominees.remove.title") }

    /// “{name} no longer has access to {vault}”
    public func nomineesRemoved(name: String, vault: String) -> String {
        known("nominees.removed", ["name": name, "vault": vault])
    }

    /// “Resend Invitation”
    public var nomineesResend: String { known("nominees.resend") }

    /// “A new invitation for {name} is ready. The old one no longer works.”
    public func nomineesResent(name: String) -> String {
        known("nominees.resent", ["name": name])
    }

    /// “Resume Access”
    public var nomineesResume: String { known("nominees.resume") }

    /// “Manage Nominees”
    public var nomineesTitle: String { known("nominees.title") }
}
