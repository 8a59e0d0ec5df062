import Foundation
public import Observation

/// The time until a session ends, by the server's clock.
struct VaultCountdown {
    /// When the session ends by itself.
    let expiresAt: Date

    init(_ session: Kith.VaultSession) {
        expiresAt = session.expiresAt
    }

    /// The seconds that are left, rounded up; 0 once the session is over.
    func secondsLeft(at now: Date) -> Int { max(0, Int(expiresAt.timeIntervalSince(now).rounded(.up))) }

    /// "Locks in 12 minutes"; below two minutes the seconds.
    func sentence(at now: Date, _ texts: KithTexts = .preferred()) -> String {
        let seconds = secondsLeft(at: now)
        return seconds < 120
            ? texts.vaultLeftSeconds(count: seconds) : texts.vaultLeftMinutes(count: (seconds + 59) / 60)
    }

    /// Whether VoiceOver reads the time out when it passes from `before` to `now`: at 5 minutes, 1 minute and 10
    /// seconds, and not every second.
    func isAnnounced(from before: Date, to now: Date) -> Bool {
        let (old, new) = (secondsLeft(at: before), secondsLeft(at: now))
        return [300, 60, 10].contains { old > $0 && new <= $0 && new > 0 }
    }
}

/// A vault: whether it is open, for how long, who is inside, and what the person may do.
///
/// Calls: `openVault`, `lockVault`, `getVault`; `streamEvents` while it follows.
@Observable @MainActor public final class VaultScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The vault as it is now.
    public private(set) var vault: Kith.Vault
    /// The time for which the screen speaks: that of the last ``tick()``.
    private var now: Date

    let calls: ScreenCalls

    /// Creates the screen of `vault`.
    public init(_ kith: Kith, _ vault: Kith.Vault, texts: KithTexts = .preferred()) {
        (calls, self.vault, now, self.texts) = (ScreenCalls(kith), vault, kith.now, texts)
    }

    /// Whether the vault is open. A session whose time is over is closed, whether or not its event has come.
    public var isOpen: Bool { countdown.map { $0.secondsLeft(at: now) > 0 } ?? false }

    /// The countdown; nil while the vault is locked.
    private var countdown: VaultCountdown? { vault.session.map(VaultCountdown.init) }

    /// "Open" or "Locked".
    public var status: String { isOpen ? texts.vaultStateOpen : texts.vaultStateLocked }

    /// What being open or locked means to this person. For a nominee a locked vault is a state, not an error.
    public var meaning: String {
        if isOpen { return texts.vaultOpenMeaning }
        return vault.role == .owner ? texts.vaultLockedOwner : texts.vaultLockedNominee
    }

    /// "Locks in 12 minutes"; nil while the vault is locked.
    public var timeLeft: String? { isOpen ? countdown?.sentence(at: now, texts) : nil }

    /// Whether the person may open the vault. An accepted nominee joins an open one.
    public var mayOpen: Bool {
        if vault.role == .owner { return true }
        guard vault.status == .accepted || vault.status == .active else { return false }
        return isOpen || vault.accessLevel == .full && vault.fullMayOpen
    }

    /// Whether the person may lock the vault for all.
    public var mayLock: Bool { isOpen && (vault.role == .owner || vault.accessLevel == .full) }

    /// Whether the person may add and replace documents.
    public var mayEdit: Bool { isOpen && vault.accessLevel != .view }

    /// Whether the person may delete documents.
    public var mayDelete: Bool { isOpen && vault.accessLevel == .full }

    /// Why an action is not offered.
    public var refusal: String { isOpen ? texts.accessRefused : meaning }

    /// Opens the vault, or joins the open session.
    public func open() async {
        await act {
            try await calls.open(vault.id)
        } then: { session in
            now = calls.now
            vault.session = session
            return texts.vaultOpened(vault: vault.name)
        }
    }

    /// Locks the vault for all.
    public func lock() async {
        await act {
            try await calls.lock(vault.id)
        } then: { _ in
            vault.session = nil
            return texts.vaultLocked(vault: vault.name)
        }
    }

    /// Loads the vault anew.
    public func load() async {
        await load {
            try await calls.vault(vault.id)
        } then: { vault in
            now = calls.now
            self.vault = vault
        }
    }

    /// Takes in a session from the stream of events: opened, extended by activity, or locked.
    public func apply(_ session: Kith.VaultSession) {
        guard session.vaultID == vault.id, session.kind == .shared else { return }
        let wasOpen = isOpen
        now = calls.now
        if session.lockedAt != nil {
            // An older session's end does not close a newer session.
            guard vault.session.map({ $0.id == session.id }) ?? false else { return }
            vault.session = nil
            if wasOpen {
                state.announce(
                    session.lockReason == .expired
                        ? texts.vaultLockedExpired(vault: vault.name) : texts.vaultLocked(vault: vault.name))
            }
        } else {
            vault.session = session
            if !wasOpen, isOpen { state.announce(texts.vaultOpened(vault: vault.name)) }
        }
    }

    /// Looks at the clock. Call it once a second while the screen is shown. It makes no call of the API, so it keeps no
    /// vault open.
    public func tick() {
        let (before, time) = (now, calls.now)
        // An answer moves the clock by a second or two. One that goes back further was the device's own, and wrong: the
        // screen was made before this process had heard the server.
        guard time > before || before.timeIntervalSince(time) > 10 else { return }
        let wasOpen = isOpen
        now = time
        if let countdown, countdown.isAnnounced(from: before, to: now) {
            state.announce(countdown.sentence(at: now, texts))
        }
        if wasOpen, !isOpen { state.announce(texts.vaultLockedExpired(vault: vault.name)) }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
