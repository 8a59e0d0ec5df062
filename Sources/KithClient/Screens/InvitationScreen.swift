public import Foundation
public import Observation

/// The recipient's screen: what the invitation or the offer of a vault is about, "Accept" and "Decline".
///
/// It needs the token alone. Nothing else in a deep link is believed, neither the vault's name nor the status.
///
/// Calls: `previewInvitation`, `acceptInvitation`, `declineInvitation`.
@Observable @MainActor public final class InvitationScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The token of the invitation.
    public let token: UUID
    /// What the invitation is about; nil until it is loaded.
    public private(set) var preview: Kith.InvitationPreview?
    /// What the message's bubble shows, as the server last said.
    public private(set) var card: Kith.InvitationCard?
    /// The vault that can be entered; nil until the invitation is accepted.
    public private(set) var vault: Kith.VaultName?
    /// Whether the vault's owner has yet to confirm the access.
    public private(set) var needsConfirmation = false

    let calls: ScreenCalls

    /// Creates the screen of an invitation. Call ``load()`` when it appears; it needs no sign-in.
    public init(_ kith: Kith, token: UUID, texts: KithTexts = .preferred()) {
        (calls, self.token, self.texts) = (ScreenCalls(kith), token, texts)
    }

    /// Whether "Accept" and "Decline" are shown.
    public var canAnswer: Bool { card?.state == .pending && !needsConfirmation }

    /// Who invites to what; nil until it is loaded, and once it is answered.
    public var sentence: String? {
        guard let preview, canAnswer, let name = preview.vault.name else { return nil }
        let person = preview.inviter.displayName
        return preview.kind == .transfer
            ? texts.invitationTransferFrom(name: person, vault: name)
            : texts.invitationFrom(name: person, vault: name)
    }

    /// What stands in place of the buttons; nil while they are shown.
    public var remark: String? {
        guard let card, !canAnswer else { return nil }
        if needsConfirmation { return texts.invitationNeedsConfirmation }
        switch card.state {
        case .accepted: return texts.invitationAccepted
        case .declined: return texts.invitationDeclined
        default: return texts.invitationOver
        }
    }

    /// Loads what the invitation is about.
    public func load() async {
        await load {
            try await calls.preview(token)
        } then: { preview in
            (self.preview, card, needsConfirmation) = (preview, preview.card, preview.needsConfirmation)
        }
    }

    /// Accepts the invitation. It binds it to the person who is signed in; accepting again changes nothing.
    public func accept() async {
        await act {
            try await calls.accept(token)
        } then: { accepted in
            card = accepted.card
            needsConfirmation = accepted.needsConfirmation == true
            vault = Kith.VaultName(id: accepted.vault.id, name: accepted.vault.name)
            return needsConfirmation ? texts.invitationNeedsConfirmation : texts.invitationAccepted
        }
    }

    /// Declines the invitation.
    public func decline() async {
        await act {
            try await calls.decline(token)
        } then: { declined in
            card = declined.card
            return texts.invitationDeclined
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
