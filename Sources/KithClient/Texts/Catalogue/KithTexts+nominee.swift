// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Invitation accepted, waiting for vault to open”
    public var nomineeMeaningAccepted: String { known("nominee.meaning.accepted") }

    /// “Vault is open, nominee has concurrent access”
    public var nomineeMeaningActive: String { known("nominee.meaning.active") }

    /// “Temporarily disabled”
    public var nomineeMeaningInactive: String { known("nominee.meaning.inactive") }

    /// “Invitation sent, not yet accepted”
    public var nomineeMeaningPending: String { known("nominee.meaning.pending") }

    /// “Access permanently revoked”
    public var nomineeMeaningRevoked: String { known("nominee.meaning.revoked") }

    /// “Accepted”
    public var nomineeStatusAccepted: String { known("nominee.status.accepted") }

    /// “Active”
    public var nomineeStatusActive: String { known("nominee.status.active") }

    /// “Inactive”
    public var nomineeStatusInactive: String { known("nominee.status.inactive") }

    /// “Pending”
    public var nomineeStatusPending: String { known("nominee.status.pending") }

    /// “Revoked”
    public var nomineeStatusRevoked: String { known("nominee.status.revoked") }
}
