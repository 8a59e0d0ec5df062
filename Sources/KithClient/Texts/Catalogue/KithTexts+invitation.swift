// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Accept”
    public var invitationAccept: String { known("invitation.accept") }

    /// “You accepted the invitation”
    public var invitationAccepted: String { known("invitation.accepted") }

    /// “Access: {level}”
    public func invitationAccess(level: String) -> String {
        known("invitation.access", ["level": level])
    }

    /// “Decline”
    public var invitationDecline: String { known("invitation.decline") }

    /// “You declined the invitation”
    public var invitationDeclined: String { known("invitation.declined") }

    /// “{name} invites you to {vault}.”
    public func invitationFrom(name: String, vault: String) -> String {
        known("invitation.from", ["name": name, "vault": vault])
    }

    /// “The vault's owner has not confirmed your access yet.”
    public var invitationNeedsConfirmation: String { known("invitation.needs_confirmation") }

    /// “This invitation can no longer be answered.”
    public var invitationOver: String { known("invitation.over") }

    /// “{name} offers you {vault}. You become its owner.”
    public func invitationTransferFrom(name: String, vault: String) -> String {
        known("invitation.transfer.from", ["name": name, "vault": vault])
    }
}
