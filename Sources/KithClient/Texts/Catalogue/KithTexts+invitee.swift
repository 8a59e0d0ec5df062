// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Access level”
    public var inviteeAccess: String { known("invitee.access") }

    /// “Link copied”
    public var inviteeCopied: String { known("invitee.copied") }

    /// “Copy Link”
    public var inviteeCopy: String { known("invitee.copy") }

    /// “Email”
    public var inviteeEmail: String { known("invitee.email") }

    /// “{label} ({hint})”
    public func inviteeField(label: String, hint: String) -> String {
        known("invitee.field", ["label": label, "hint": hint])
    }

    /// “Recipient name”
    public var inviteeName: String { known("invitee.name") }

    /// “Enter the recipient's name.”
    public var inviteeNameEmpty: String { known("invitee.name.empty") }

    /// “optional”
    public var inviteeOptional: String { known("invitee.optional") }

    /// “Phone number”
    public var inviteePhone: String { known("invitee.phone") }

    /// “The invitation for {name} is ready to send”
    public func inviteeReady(name: String) -> String {
        known("invitee.ready", ["name": name])
    }

    /// “required”
    public var inviteeRequired: String { known("invitee.required") }

    /// “Send Invitation”
    public var inviteeSend: String { known("invitee.send") }

    /// “Share”
    public var inviteeShare: String { known("invitee.share") }
}
