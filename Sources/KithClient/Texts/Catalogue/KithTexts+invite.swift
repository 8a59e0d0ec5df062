// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Invite Receivers”
    public var inviteButton: String { known("invite.button") }

    /// “Select Contacts”
    public var inviteContacts: String { known("invite.contacts") }

    /// “Choose at least one person with a phone number.”
    public var inviteNobody: String { known("invite.nobody") }

    /// “{count} people could not be invited.”
    public func inviteNotInvited(count: Int) -> String {
        known("invite.not_invited", count: count)
    }

    /// “Invitation not sent”
    public var inviteOutcomeCancelled: String { known("invite.outcome.cancelled") }

    /// “The invitation could not be sent. Try again.”
    public var inviteOutcomeFailed: String { known("invite.outcome.failed") }

    /// “Invitation sent”
    public var inviteOutcomeSent: String { known("invite.outcome.sent") }

    /// “This device cannot send text messages. Copy the invitation instead.”
    public var inviteOutcomeUnavailable: String { known("invite.outcome.unavailable") }

    /// “{count} contacts have no phone number.”
    public func inviteWithoutNumber(count: Int) -> String {
        known("invite.without_number", count: count)
    }
}
