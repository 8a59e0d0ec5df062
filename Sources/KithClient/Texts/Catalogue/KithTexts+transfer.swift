// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Transfer”
    public var transferButton: String { known("transfer.button") }

    /// “Cancel Transfer”
    public var transferCancel: String { known("transfer.cancel") }

    /// “The transfer is cancelled”
    public var transferCancelled: String { known("transfer.cancelled") }

    /// “Continue”
    public var transferFirstConfirm: String { known("transfer.first.confirm") }

    /// “{name} becomes the owner of {vault}. You stay as a nominee with full access, and your other nominees lose theirs.”
    public func transferFirstMessageKeep(name: String, vault: String) -> String {
        known("transfer.first.message.keep", ["name": name, "vault": vault])
    }

    /// “{name} becomes the owner of {vault}. You lose your access, and your nominees lose theirs.”
    public func transferFirstMessageLeave(name: String, vault: String) -> String {
        known("transfer.first.message.leave", ["name": name, "vault": vault])
    }

    /// “Transfer {vault}?”
    public func transferFirstTitle(vault: String) -> String {
        known("transfer.first.title", ["vault": vault])
    }

    /// “The offer to {name} is ready to send”
    public func transferReady(name: String) -> String {
        known("transfer.ready", ["name": name])
    }

    /// “Transfer Vault”
    public var transferSecondConfirm: String { known("transfer.second.confirm") }

    /// “Once {name} accepts, you cannot take {vault} back.”
    public func transferSecondMessage(name: String, vault: String) -> String {
        known("transfer.second.message", ["name": name, "vault": vault])
    }

    /// “Are You Sure?”
    public var transferSecondTitle: String { known("transfer.second.title") }

    /// “Transfer Ownership”
    public var transferTitle: String { known("transfer.title") }
}
