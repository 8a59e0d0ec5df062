// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Delete”
    public var vaultDeleteConfirm: String { known("vault.delete.confirm") }

    /// “{vault} is locked at once, and nobody can enter. You can restore it for 30 days.”
    public func vaultDeleteMessage(vault: String) -> String {
        known("vault.delete.message", ["vault": vault])
    }

    /// “Delete Vault?”
    public var vaultDeleteTitle: String { known("vault.delete.title") }

    /// “Locks in {count} minutes”
    public func vaultLeftMinutes(count: Int) -> String {
        known("vault.left.minutes", count: count)
    }

    /// “Locks in {count} seconds”
    public func vaultLeftSeconds(count: Int) -> String {
        known("vault.left.seconds", count: count)
    }

    /// “Lock Vault”
    public var vaultLock: String { known("vault.lock") }

    /// “{vault} is locked”
    public func vaultLocked(vault: String) -> String {
        known("vault.locked", ["vault": vault])
    }

    /// “{vault} locked itself after 30 minutes without activity”
    public func vaultLockedExpired(vault: String) -> String {
        known("vault.locked.expired", ["vault": vault])
    }

    /// “This vault is locked. You can enter while its owner has it open.”
    public var vaultLockedNominee: String { known("vault.locked.nominee") }

    /// “Your nominees cannot enter until the vault is open, except by emergency access.”
    public var vaultLockedOwner: String { known("vault.locked.owner") }

    /// “Open Vault”
    public var vaultOpen: String { known("vault.open") }

    /// “While the vault is open, every nominee who has accepted can enter. All see the same documents.”
    public var vaultOpenMeaning: String { known("vault.open.meaning") }

    /// “{vault} is open”
    public func vaultOpened(vault: String) -> String {
        known("vault.opened", ["vault": vault])
    }

    /// “Locked”
    public var vaultStateLocked: String { known("vault.state.locked") }

    /// “Open”
    public var vaultStateOpen: String { known("vault.state.open") }
}
