// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “The participants can now view {vault}.”
    public func shareChangedReadOnly(vault: String) -> String {
        known("share.changed.read_only", ["vault": vault])
    }

    /// “The participants can now edit {vault}.”
    public func shareChangedReadWrite(vault: String) -> String {
        known("share.changed.read_write", ["vault": vault])
    }

    /// “You share no vault.”
    public var shareNone: String { known("share.none") }

    /// “{count} participants”
    public func shareParticipants(count: Int) -> String {
        known("share.participants", count: count)
    }

    /// “Permission”
    public var sharePermission: String { known("share.permission") }

    /// “View”
    public var shareReadOnly: String { known("share.read_only") }

    /// “Edit”
    public var shareReadWrite: String { known("share.read_write") }

    /// “Stop Sharing”
    public var shareRevoke: String { known("share.revoke") }

    /// “Stop Sharing”
    public var shareRevokeConfirm: String { known("share.revoke.confirm") }

    /// “Everybody who has access to {vault} through this share loses it at once.”
    public func shareRevokeMessage(vault: String) -> String {
        known("share.revoke.message", ["vault": vault])
    }

    /// “Stop Sharing?”
    public var shareRevokeTitle: String { known("share.revoke.title") }

    /// “{vault} is no longer shared.”
    public func shareRevoked(vault: String) -> String {
        known("share.revoked", ["vault": vault])
    }
}
