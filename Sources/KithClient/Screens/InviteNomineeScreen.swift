import Foundation
public import Observation

/// The form that invites a nominee, in the app or in its extension of Messages.
///
/// The app calls ``handOver(_:)`` before it opens Messages, and the extension ``takeDraft()`` when it loads: the vault
/// is then already chosen. A draft is read once. Without one the person's first vault is chosen, and ``isFallback``
/// says so.
///
/// Calls: `setInvitationDraft`, `takeInvitationDraft`, `inviteNominees`, `reportNomineeInvitationOutcome`.
@Observable @MainActor public final class InviteNomineeScreen: ActingScreen {
    /// A field of the form.
    public struct Field: Sendable, Hashable {
        /// The label.
        public let label: String
        /// Whether it must be filled in.
        public let isRequired: Bool
        /// The label with "required" or "optional" in parentheses.
        public let fullLabel: String

        init(_ label: String, required: Bool, _ texts: KithTexts) {
            (self.label, isRequired) = (label, required)
            fullLabel = texts.inviteeField(
                label: label, hint: required ? texts.inviteeRequired : texts.inviteeOptional)
        }
    }

    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The vault; nil until it is chosen or taken from a draft.
    public private(set) var vault: Kith.VaultName?
    /// Whether there was no draft, so that ``vault`` is the person's first one.
    public private(set) var isFallback = false
    /// The recipient's name.
    public var name = ""
    /// The recipient's phone number.
    public var phone = ""
    /// The recipient's e-mail address.
    public var email = ""
    /// What the nominee may do.
    public var accessLevel = Kith.AccessLevel.view
    /// The nominee, once they are invited.
    public private(set) var nominee: Kith.InvitedNominee?

    let calls: ScreenCalls

    /// Creates an empty form for `vault`, or for the one of the draft.
    public init(_ kith: Kith, _ vault: Kith.VaultName? = nil, texts: KithTexts = .preferred()) {
        (calls, self.vault, self.texts) = (ScreenCalls(kith), vault, texts)
    }

    /// The fields: name, phone number, e-mail address.
    public var fields: [Field] {
        [
            Field(texts.inviteeName, required: true, texts), Field(texts.inviteePhone, required: false, texts),
            Field(texts.inviteeEmail, required: false, texts),
        ]
    }

    /// The label of the button.
    public var button: String { texts.inviteeSend }

    /// The text, the links and the card to hand over; nil until somebody is invited. The server shows them only once.
    public var invitation: Kith.TokenInvitation? { nominee?.invitation }

    /// Leaves the vault's id and name for the extension, and opens Messages.
    public func handOver(_ vault: Kith.VaultName) async {
        await act {
            try await calls.setDraft(vault.id)
        } then: { _ in
            self.vault = vault
            return nil
        }
    }

    /// Reads the draft that the app has left, once.
    public func takeDraft() async {
        await load {
            try await calls.takeDraft()
        } then: { draft in
            (vault, isFallback) = (draft.vault, draft.fallback)
        }
    }

    /// Invites the recipient.
    public func send(by channel: Kith.InvitationChannel? = nil) async {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty, let vault else {
            return state.show(ErrorPresentation(invalid: texts.inviteeNameEmpty, texts: texts))
        }
        let (phone, email) = (phone.trimmingCharacters(in: .whitespaces), email.trimmingCharacters(in: .whitespaces))
        await act {
            try await calls.invite(
                name: name, phone: phone.isEmpty ? nil : phone, email: email.isEmpty ? nil : email, accessLevel,
                channel, to: vault.id)
        } then: { nominee in
            self.nominee = nominee
            return texts.inviteeReady(name: name)
        }
    }

    /// Reports the outcome of the message.
    public func report(_ outcome: Kith.InvitationOutcome) async {
        guard let nominee, let vault else { return }
        await act {
            try await calls.reportNominee(outcome, of: nominee.id, in: vault.id)
        } then: { changed in
            self.nominee?.invitationOutcome = changed.invitationOutcome
            return outcome == .sent ? texts.inviteOutcomeSent : texts.inviteOutcomeCancelled
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
