public import Foundation
public import Observation

/// The actions on a nominee for a manager of the vault.
public enum NomineeAction: Sendable, Hashable {
    /// Opens the chat, with somebody who has accepted.
    case chat
    /// Makes a new invitation, for somebody who has not answered.
    case resend
    /// Gives the access for which somebody who has accepted waits.
    case confirm
    /// Rests the access.
    case pause
    /// Lets the access go on.
    case resume
    /// Ends the access for good.
    case remove
}

extension Kith.Nominee {
    /// The actions that the manager of a vault of that name has, in the order of the menu, with the dialogs that they
    /// ask first. Only the owner confirms, pauses and resumes.
    public func actions(
        in vault: String, isOwner: Bool, _ texts: KithTexts = .preferred()
    ) -> [ScreenAction<NomineeAction>] {
        guard status != .revoked else { return [] }
        var actions: [ScreenAction<NomineeAction>] = []
        if status == .accepted || status == .active {
            actions.append(.init(.chat, texts.nomineesChat, symbol: "bubble.left.fill"))
        }
        if isOwner, needsConfirmation {
            actions.append(.init(.confirm, texts.nomineesConfirm, symbol: "checkmark.circle.fill", .green))
        }
        if status == .pending, !needsConfirmation {
            actions.append(.init(.resend, texts.nomineesResend, symbol: "paperplane.fill"))
        }
        if isOwner, status == .accepted || status == .active {
            actions.append(.init(.pause, texts.nomineesPause, symbol: "pause.circle.fill", .orange))
        }
        if isOwner, status == .inactive {
            actions.append(.init(.resume, texts.nomineesResume, symbol: "play.circle.fill", .green))
        }
        let dialog = Dialog(
            title: texts.nomineesRemoveTitle, message: texts.nomineesRemoveMessage(name: name, vault: vault),
            confirm: texts.nomineesRemoveConfirm, texts)
        actions.append(
            .init(.remove, texts.nomineesRemove, symbol: "trash.fill", .red, isDestructive: true, dialog: dialog))
        return actions
    }
}

/// The page of a vault's nominees: the owner, everybody with a badge, and, for the owner, the access history.
///
/// Calls: `listNominees`, `resendNomineeInvitation`, `confirmNominee`, `updateNominee`, `revokeNominee`; `streamEvents`
/// while it follows.
@Observable @MainActor public final class NomineesScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The vault.
    public let vault: Kith.VaultName
    /// The vault's owner; nil until the page is loaded.
    public private(set) var owner: Kith.PersonName?
    /// The nominees, those with access first.
    public private(set) var nominees: [Kith.Nominee] = []
    /// What happened in the vault, the newest first; nil for everybody but the owner.
    public private(set) var history: [Kith.VaultEvent]?
    /// The nominee and the action whose dialog is shown; nil if there is none.
    public private(set) var asking: (nominee: Kith.Nominee, action: ScreenAction<NomineeAction>)?
    /// The new invitation to hand over; nil until one is made.
    public private(set) var invitation: Kith.TokenInvitation?
    /// The nominee whose chat to open; nil if none was chosen.
    public private(set) var chat: UUID?

    let calls: ScreenCalls

    /// Creates an empty page. Call ``load()`` when it appears.
    public init(_ kith: Kith, _ vault: Kith.VaultName, texts: KithTexts = .preferred()) {
        (calls, self.vault, self.texts) = (ScreenCalls(kith), vault, texts)
    }

    /// Whether the caller is the owner.
    public var isOwner: Bool { history != nil }

    /// The actions on a nominee.
    public func actions(of nominee: Kith.Nominee) -> [ScreenAction<NomineeAction>] {
        nominee.actions(in: vault.name, isOwner: isOwner, texts)
    }

    /// Loads the page.
    public func load() async {
        await load {
            try await calls.nominees(of: vault.id)
        } then: { page in
            (owner, nominees, history) = (page.owner, page.items, page.history)
        }
    }

    /// Takes in a nominee from the stream of events, and announces a new status.
    public func apply(_ nominee: Kith.Nominee) {
        guard let index = nominees.firstIndex(where: { $0.id == nominee.id }) else {
            return nominees.append(nominee)
        }
        let old = nominees[index].status
        nominees[index] = nominee
        let badge = nominee.status.badge(texts)
        if old != nominee.status {
            state.announce(texts.connectionStatusAnnouncement(name: nominee.name, status: badge.name))
        }
    }

    /// Takes an action, or asks first. An action that the nominee does not have now does nothing.
    public func choose(_ kind: NomineeAction, for nominee: Kith.Nominee) async {
        guard !state.isBusy, let current = nominees.first(where: { $0.id == nominee.id }),
            let action = actions(of: current).first(where: { $0.id == kind })
        else { return }
        if action.dialog == nil { return await carryOut(kind, current) }
        asking = (current, action)
    }

    /// Takes the action whose dialog is shown.
    public func confirm() async {
        guard let (nominee, action) = asking else { return }
        asking = nil
        await carryOut(action.id, nominee)
    }

    /// Leaves the nominee as they are.
    public func cancel() {
        asking = nil
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func carryOut(_ kind: NomineeAction, _ nominee: Kith.Nominee) async {
        let name = nominee.name
        switch kind {
        case .chat: chat = nominee.id
        case .resend:
            await act {
                try await calls.resend(nominee.id, in: vault.id)
            } then: { invitation in
                self.invitation = invitation
                return texts.nomineesResent(name: name)
            }
        case .confirm:
            await change(nominee, texts.nomineesConfirmed(name: name, vault: vault.name)) {
                try await calls.confirm(nominee.id, in: vault.id)
            }
        case .pause, .resume:
            let status: Kith.NomineeStatusChange = kind == .pause ? .inactive : .accepted
            await change(nominee, texts.nomineesChanged(name: name)) {
                try await calls.setStatus(status, of: nominee.id, in: vault.id)
            }
        case .remove:
            await change(nominee, texts.nomineesRemoved(name: name, vault: vault.name)) {
                try await calls.revoke(nominee.id, in: vault.id)
                var revoked = nominee
                revoked.status = .revoked
                return revoked
            }
        }
    }

    private func change(
        _ nominee: Kith.Nominee, _ words: String, _ work: () async throws -> Kith.Nominee
    ) async {
        await act(work) { changed in
            if let index = nominees.firstIndex(where: { $0.id == changed.id }) { nominees[index] = changed }
            return words
        }
    }
}
