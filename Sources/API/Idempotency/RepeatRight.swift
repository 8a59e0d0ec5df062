internal import JSON

/// The right that a caller must still have to get the kept answer of a request again (A07). `internal.may_repeat` in
/// the database asks the rule of the call itself, so a right that is taken away takes its answers too.
enum RepeatRight: Sendable, Hashable {
    /// None: the answer tells the caller of their own act and of nobody else. What others do meanwhile cannot take it
    /// away.
    case own
    /// No more than to see what the answer names.
    case sight
    /// The profile for the role that a member of the body names.
    case profile(member: String)
    /// The profile as a sender.
    case sender
    /// A right in the vaults that the path and the answer name.
    case vault(Vault)

    enum Vault: String, Sendable {
        /// The owner, or a nominee with access, whether the vault is open or not.
        case member
        case owner
        /// The right to lock the vault.
        case lock
        /// Whoever may open the vault, or enter it because it is open.
        case open
        /// The access level in an open session.
        case view, edit, full
        /// The right to invite and revoke the nominees that the request names.
        case manage
        /// The owner or the nominee whose conversation it is.
        case conversation
    }

    /// The right's name in the database, for a request with `body`; nil for a role that the body does not name.
    func name(for body: JSONDocument?) -> String? {
        switch self {
        case .own: "own"
        case .sight: "sight"
        case .sender: "sender"
        case .profile(let member): body?.root[member]?.string
        case .vault(let right): right.rawValue
        }
    }
}
