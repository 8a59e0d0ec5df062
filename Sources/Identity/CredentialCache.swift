internal import Crypto
internal import Requests
internal import Synchronization

/// The credentials that a server has checked in full. All its loops share them, because each connection of a client may
/// be on another loop.
package final class CredentialCache: Sendable {
    /// The SHA-256 of the client's input. Client input is never stored, and each entry takes the same space.
    struct Digest: Hashable {
        private let bytes: [UInt8]

        init(of text: String) {
            bytes = sha256(text.utf8)
        }

        func hash(into hasher: inout Hasher) {
            // Eight bytes of a digest are as random as all of them.
            hasher.combine(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
    }

    /// The result of a full check of a credential.
    struct Session {
        let caller: Caller
        /// The status of the caller's tenant.
        let status: String
        /// When the credential was checked, in seconds since 1970.
        let checkedAt: Double
    }

    private typealias Sessions = ExpiringCache<Digest, Session>

    private let sessions = Mutex(Sessions(capacity: 200_000, life: Authenticator.recheck))

    /// Creates an empty cache.
    package init() {}

    /// The session for a credential if it has not expired at `now`, in seconds since 1970.
    func session(for digest: Digest, at now: Double) -> Session? {
        var dropped: [Sessions.Entries] = []
        return sessions.withLock { $0.value(for: digest, at: now, dropping: &dropped) }
    }

    /// Stores the session for a credential until `until`, in seconds since 1970.
    func insert(_ session: Session, for digest: Digest, until: Double, at now: Double) {
        var dropped: [Sessions.Entries] = []
        sessions.withLock { $0.insert(session, for: digest, until: until, at: now, dropping: &dropped) }
    }
}
