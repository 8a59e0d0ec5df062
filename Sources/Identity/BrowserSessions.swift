internal import Crypto
internal import EventLoop
internal import JSON
package import Postgres
package import Problems
package import Requests

/// Identifies people by the cookie of their browser: a refresh token that stays on this server and in the browser's
/// cookie store, where no script can read it.
///
/// A page cannot tell whether its answer arrived, so the token is not exchanged for another one with each use (decision
/// 42). What the database says of it is trusted for at most ``Authenticator/recheck`` seconds, as of any credential.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
package final class BrowserSessions {
    /// The sign-in of a browser.
    package struct Session {
        package let caller: Caller
        package let brandName: String
        /// The colour of the tenant's pages, such as `#0842a0`; nil for Kith's own.
        package let brandColor: String?
        /// The path of the picture beside the brand's name; nil if there is none.
        package let brandMark: String?
        package let isSuspended: Bool
        /// What the tenant wants of the words on its pages; nil for the catalogue's.
        package let wording: Wording?
        /// Whether a use of the pages must be recorded, because the person lets it count as a sign of life.
        fileprivate let notesUse: Bool
        /// When the database was asked, in seconds since 1970.
        fileprivate let checkedAt: Double
    }

    private let pool: PostgresPool
    private var known = ExpiringCache<[UInt8], Session>(capacity: 20_000, life: Authenticator.recheck)
    /// The users whose use has been recorded since the database was asked. A look-up is no use, so this is apart from
    /// ``known``.
    private var noted = ExpiringCache<String, Void>(capacity: 20_000, life: Authenticator.recheck)
    /// Sign-ins and users that ended on this server, with the time. Results from before that time are not trusted.
    private var ended = ExpiringCache<String, Double>(capacity: 200_000, life: Authenticator.recheck + 1)

    /// The longest cookie that is looked up, in bytes.
    private static let longestSecret = 200

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The sign-in that the cookie's `secret` belongs to; nil if it has ended, and on the `host` of another tenant.
    /// `now` is in microseconds since 1970.
    ///
    /// - Throws: ``Problem`` `unavailable` if the database cannot be reached.
    package func session(
        of secret: String, on host: String?, at now: Int64, request: String
    ) async throws(Problem) -> Session? {
        let token = RefreshToken(secret)
        guard secret.utf8.count <= Self.longestSecret, token.isOfBrowser else { return nil }
        let seconds = Double(now) / 1_000_000
        let key = token.hash + Array((host ?? "").utf8)
        if let session = known.value(for: key, at: seconds), isLive(session, at: seconds) { return session }
        let statements = Statements(pool: pool, client: Caller.authentication, request: request, transaction: nil)
        guard
            let facts = try await statements.facts(
                Self.find, as: nil, [.bytea(token.hash), host.map { .text($0) } ?? .null, .instant(now)])?.root,
            let tenant = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string,
            let brandName = facts["brand_name"]?.string, let status = facts["status"]?.string,
            let user = facts["user_id"]?.string,
            let id = facts["session_id"]?.string
        else { return nil }
        let caller = Caller(
            tenantID: tenant, slug: slug, kind: .user(id: user, session: id),
            token: Caller.Token(keyID: "", issuedAt: seconds, expiresAt: seconds + Double(Sessions.life)))
        let session = Session(
            caller: caller, brandName: brandName, brandColor: facts["brand_color"]?.string,
            brandMark: facts["brand_mark"]?.string, isSuspended: status != "active",
            wording: Wording(facts["wording"], tenantID: tenant), notesUse: facts["notes_use"]?.boolean == true,
            checkedAt: seconds)
        guard isLive(session, at: seconds) else { return nil }
        known.insert(session, for: key, until: seconds + Authenticator.recheck, at: seconds)
        return session
    }

    /// Records that the person uses the pages themselves, at most once a minute, if they let that count as a sign of
    /// life (E03). `now` is in microseconds since 1970.
    ///
    /// - Throws: ``Problem`` `unavailable` if the database cannot be reached.
    package func noteUse(of session: Session, at now: Int64, request: String) async throws(Problem) {
        let (user, seconds) = (session.caller.user, Double(now) / 1_000_000)
        guard session.notesUse, noted.value(for: user, at: seconds) == nil else { return }
        let statements = Statements(pool: pool, client: Caller.authentication, request: request, transaction: nil)
        _ = try await statements.ask(
            Self.note, as: nil, [.int(session.caller.tenantID), .text(user), .instant(now)])
        noted.insert((), for: user, until: seconds + Authenticator.recheck, at: seconds)
    }

    /// Trusts nothing that was known until now about a sign-in, or about all of a user's.
    package func forget(_ id: String) {
        let now = Double(pool.loop.clock.now) / 1_000_000
        ended.insert(now, for: id, until: now + Authenticator.recheck + 1, at: now)
    }

    private func isLive(_ session: Session, at now: Double) -> Bool {
        [session.caller.session ?? "", session.caller.user].allSatisfy { id in
            ended.value(for: id, at: now).map { $0 < session.checkedAt } ?? true
        }
    }

    private static let find = ProcedureCall(
        "api.browser_session", ["bytea", "text", "timestamptz"], lane: .writes, checksCaller: false)
    private static let note = ProcedureCall(
        "api.note_use", ["integer", "uuid", "timestamptz"], lane: .writes, checksCaller: false)
}
