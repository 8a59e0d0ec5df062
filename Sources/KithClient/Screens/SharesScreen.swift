public import Observation

/// The shares of the person's vaults by CloudKit: what their participants may do, and how to end one.
///
/// Calls: `listShares`, `updateShare`, `deleteShare`; `streamEvents` while it follows.
@Observable @MainActor public final class SharesScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The shares.
    public private(set) var shares: [Kith.Share] = []
    /// The share whose end is asked about; nil if none is.
    public private(set) var asking: Kith.Share?

    let calls: ScreenCalls

    /// Creates an empty list. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The text that a screen shows while there are no shares.
    public var placeholder: String? { shares.isEmpty && state.isLoaded ? texts.shareNone : nil }

    /// The dialog before ending a share; nil if it is not shown.
    public var dialog: Dialog? {
        asking.map {
            Dialog(
                title: texts.shareRevokeTitle, message: texts.shareRevokeMessage(vault: $0.vault.name),
                confirm: texts.shareRevokeConfirm, texts)
        }
    }

    /// "2 participants"
    public func participants(of share: Kith.Share) -> String {
        texts.shareParticipants(count: share.participantCount)
    }

    /// The name of a permission: "View" or "Edit". One that this library does not know is shown as the lesser.
    public func name(of permission: Kith.SharePermission) -> String {
        permission == .readWrite ? texts.shareReadWrite : texts.shareReadOnly
    }

    /// Loads the shares.
    public func load() async {
        await load {
            try await calls.shares()
        } then: { shares in
            self.shares = shares
            if let asked = asking, !shares.contains(where: { $0.id == asked.id }) { asking = nil }
        }
    }

    /// Sets what the participants of a share may do.
    public func set(_ permission: Kith.SharePermission, for share: Kith.Share) async {
        guard let known = shares.first(where: { $0.id == share.id }), known.permission != permission else { return }
        await act {
            try await calls.setPermission(permission, of: share.id)
        } then: { changed in
            if let index = shares.firstIndex(where: { $0.id == changed.id }) { shares[index] = changed }
            return changed.permission == .readWrite
                ? texts.shareChangedReadWrite(vault: changed.vault.name)
                : texts.shareChangedReadOnly(vault: changed.vault.name)
        }
    }

    /// Asks whether to end a share.
    public func revoke(_ share: Kith.Share) {
        if !state.isBusy { asking = share }
    }

    /// Ends the share that was asked about.
    public func confirm() async {
        guard let share = asking else { return }
        asking = nil
        await act {
            try await calls.endShare(share.id)
        } then: { _ in
            shares.removeAll { $0.id == share.id }
            return texts.shareRevoked(vault: share.vault.name)
        }
    }

    /// Ends nothing.
    public func cancel() {
        asking = nil
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
