package import Crypto
internal import EventLoop
package import HTTP
internal import JSON
package import Postgres
package import Problems
package import Requests

/// Identifies the caller of a request by a tenant's secret key or a user's access token, or the tenant of a caller
/// without either.
///
/// The full check of a credential is trusted for at most ``recheck`` seconds. A revoked key, a suspended tenant and a
/// sign-out everywhere therefore take effect within that time on every server.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
package final class Authenticator {
    package static let recheck = 60.0
    /// The longest slug that a tenant can have, in bytes. It bounds the memory that client input can take.
    private static let longestSlug = 63
    private static let scheme = "Bearer "
    /// The header by which a page's module says that nobody asked for its request.
    private static let refreshing = "Kith-Refresh"
    /// The longest credential in bytes. Checking an invalid one takes time, and anybody can send one.
    private static let longestCredential = 8192
    /// How long a refusal is trusted, in seconds. It is short, so that a new key is accepted soon after somebody tried
    /// it too early.
    private static let refusalLife = 5.0

    private typealias Digest = CredentialCache.Digest
    private typealias Session = CredentialCache.Session

    private struct Key {
        let id: String
        let slug: String
        let status: String
        let rules: TokenRules
        let verifier: Verifier
        /// When the database was asked for the key, in seconds since 1970.
        let checkedAt: Double

        func verifies(_ jwt: JWT) -> Bool {
            switch verifier {
            case .hmac(let key): jwt.isSigned(by: key)
            case .publicKey(let key): jwt.isSigned(by: key)
            }
        }
    }

    /// The key that checks signatures.
    private enum Verifier {
        case hmac(HMACKey)
        case publicKey(PublicKey)
    }

    private struct Tenant {
        let caller: Caller
        let status: String
    }

    private let pool: PostgresPool
    private let masterKey: MasterKey
    private let sessions: CredentialCache
    private var keys = ExpiringCache<Digest, Key>(capacity: 20_000, life: Authenticator.recheck)
    /// Keyed by the key's id. Tokens with the same key and different audiences share an entry.
    private var verifiers = ExpiringCache<String, Verifier>(capacity: 20_000, life: Authenticator.recheck)
    private var tenants = ExpiringCache<String, Tenant?>(capacity: 20_000, life: Authenticator.recheck)
    /// Sign-ins, users and secret keys that ended on this server, with the time. Results from before that time are not
    /// trusted.
    private var signedOut = ExpiringCache<String, Double>(capacity: 200_000, life: Authenticator.recheck + 1)
    /// Refused credentials with the reason, so that repeating one costs no query.
    private var refusals = ExpiringCache<Digest, String?>(capacity: 20_000, life: Authenticator.refusalLife)

    /// Creates an authenticator for a loop. All loops of a server have the same `sessions`.
    package init(pool: PostgresPool, masterKey: MasterKey, sessions: CredentialCache) {
        self.pool = pool
        self.masterKey = masterKey
        self.sessions = sessions
    }

    /// Identifies the caller of `request`, which the server received at `now` (microseconds since 1970).
    /// `whileSuspended` also lets callers of a suspended tenant pass.
    ///
    /// - Throws: ``Problem`` `unauthenticated`, `invalid_request`, `tenant_suspended`, or `unavailable` if the database
    ///   cannot be reached.
    package func caller(
        of request: HTTPRequest, at now: Int64, whileSuspended: Bool = false
    ) async throws(Problem) -> Caller {
        guard let header = request.header("Authorization") else { throw Problem(.unauthenticated) }
        let credential = try Self.credential(in: header)
        guard credential.utf8.count <= Self.longestCredential else {
            throw Problem(.unauthenticated, "A credential has at most 8,192 bytes.")
        }
        // Two tenants may have registered the same key. The tenant that the client names then decides.
        let slug = request.header("X-Kith-Tenant")
        guard (slug ?? "").utf8.count <= Self.longestSlug else {
            throw Problem(.invalidRequest, "X-Kith-Tenant is not a tenant's slug.")
        }
        // No header has a line end, so no two pairs have the same text. The scheme, whose letters may have either case,
        // is no part of it.
        let place = Digest(of: slug.map { "\($0)\n\(credential)" } ?? String(credential))
        let seconds = Double(now) / 1_000_000
        let session: Session
        if let known = sessions.session(for: place, at: seconds), !isOver(known, at: seconds) {
            session = known
        } else if let refusal = refusals.value(for: place, at: seconds) {
            throw Problem(.unauthenticated, refusal)
        } else {
            // A page that only brings itself up to date is no use of a key: nobody may be there.
            session = try await check(
                String(credential), slug, at: seconds, now: now, place,
                isUse: request.header(Self.refreshing) == nil)
        }
        try Self.check(session.status, whileSuspended: whileSuspended)
        return session.caller
    }

    /// The caller of a request without a credential, for the tenant that it names in `X-Kith-Tenant`.
    /// `whileSuspended` says that the tenant may be suspended.
    ///
    /// - Throws: ``Problem`` `invalid_request` without the header, `not_found`, `tenant_suspended`, or `unavailable`.
    package func visitor(
        of request: HTTPRequest, at now: Int64, whileSuspended: Bool = false
    ) async throws(Problem) -> Caller {
        guard let slug = request.header("X-Kith-Tenant") else {
            throw Problem(.invalidRequest, "Name the tenant in the header X-Kith-Tenant.")
        }
        guard slug.utf8.count <= Self.longestSlug else { throw Problem(.notFound, "There is no such tenant.") }
        let seconds = Double(now) / 1_000_000
        let tenant: Tenant?
        if let known = tenants.value(for: slug, at: seconds) {
            tenant = known
        } else {
            let facts = try await ask(.findTenant, [.text(slug)])?.root
            if let id = facts?["tenant_id"]?.integer, let status = facts?["status"]?.string {
                let wording = Wording(facts?["wording"], tenantID: id)
                tenant = Tenant(
                    caller: Caller(tenantID: id, slug: slug, kind: .anyone, wording: wording), status: status)
            } else {
                tenant = nil
            }
            tenants.insert(tenant, for: slug, until: seconds + Self.life(of: tenant?.status), at: seconds)
        }
        guard let tenant else { throw Problem(.notFound, "There is no such tenant.") }
        try Self.check(tenant.status, whileSuspended: whileSuspended)
        return tenant.caller
    }

    /// - Throws: ``Problem`` `tenant_suspended` for a tenant with this status. A deleted one has no exception.
    private static func check(_ status: String, whileSuspended: Bool) throws(Problem) {
        guard status == "active" || whileSuspended && status == "suspended" else { throw Problem(.tenantSuspended) }
    }

    /// Discards the cached results of a user, a sign-in or a secret key, given by id, after the database has ended it.
    /// Other servers may trust theirs for up to ``recheck`` more seconds.
    package func forget(_ name: String) {
        // Uses the current time, not the request's arrival: another request may have been checked in between, against
        // the old state.
        let seconds = Double(pool.loop.clock.now) / 1_000_000
        signedOut.insert(seconds, for: name, until: seconds + Self.recheck + 1, at: seconds)
    }

    private func isOver(_ session: Session, at now: Double) -> Bool {
        guard !signedOut.isEmpty else { return false }
        let names: [String?] =
            switch session.caller.kind {
            case .user(let id, let family): [id, family]
            case .key(let id, _): [id]
            case .anyone: []
            }
        return names.contains { name in
            name.flatMap { signedOut.value(for: $0, at: now) }.map { $0 >= session.checkedAt } ?? false
        }
    }

    private static func credential(in header: String) throws(Problem) -> Substring {
        let bytes = header.utf8
        // Compares with the bit of lower case set. Only NUL, which no header contains, would then also equal the space.
        guard bytes.count > scheme.utf8.count, zip(bytes, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else {
            throw Problem(.unauthenticated, "Send the credential as Authorization: Bearer <token>.")
        }
        return header[bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)...]
    }

    /// How many seconds a tenant's status is trusted. A suspension is trusted briefly, so that a reactivated tenant
    /// need not wait a minute.
    private static func life(of status: String?) -> Double {
        status == "active" ? recheck : refusalLife
    }

    private func check(
        _ credential: String, _ slug: String?, at seconds: Double, now: Int64, _ place: Digest, isUse: Bool
    ) async throws(Problem) -> Session {
        do throws(Problem) {
            let (session, until) =
                credential.hasPrefix("kith_sk_")
                ? try await checkKey(credential, at: seconds, now: now, isUse: isUse)
                : try await checkToken(credential, slug, at: seconds)
            try Self.agree(slug, session.caller.slug)
            sessions.insert(
                session, for: place, until: min(until, seconds + Self.life(of: session.status)), at: seconds)
            return session
        } catch {
            if error.code == .unauthenticated {
                refusals.insert(error.detail, for: place, until: seconds + Self.refusalLife, at: seconds)
            }
            throw error
        }
    }

    /// - Throws: ``Problem`` `invalid_request` if the client names a different tenant than its credential's. This is
    ///   checked before anything is cached, so that nobody can fill the cache with one credential under many names.
    private static func agree(_ named: String?, _ slug: String) throws(Problem) {
        guard named == nil || named == slug else {
            throw Problem(.invalidRequest, "X-Kith-Tenant names another tenant than the credential.")
        }
    }

    private func checkKey(
        _ key: String, at seconds: Double, now: Int64, isUse: Bool
    ) async throws(Problem) -> (Session, until: Double) {
        let answer = try await ask(.authenticateKey, [.bytea(sha256(key.utf8)), .instant(now), .bool(isUse)])
        guard let facts = answer?.root, let tenant = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string,
            let id = facts["key_id"]?.string, let status = facts["status"]?.string
        else { throw Problem(.unauthenticated, "The secret key is unknown, expired or revoked.") }
        let scopes = facts["scopes"]?.elements.compactMap(\.string) ?? []
        let session = Session(
            caller: Caller(
                tenantID: tenant, slug: slug, kind: .key(id: id, scopes: scopes),
                wording: Wording(facts["wording"], tenantID: tenant)), status: status,
            checkedAt: seconds)
        // Trusted no longer than the key is valid.
        let end = facts["expires_at"]?.integer.map { Double($0) / 1_000_000 } ?? .infinity
        return (session, min(seconds + Self.recheck, end))
    }

    private func checkToken(
        _ token: String, _ slug: String?, at seconds: Double
    ) async throws(Problem) -> (Session, until: Double) {
        guard let jwt = JWT(token) else { throw Problem(.unauthenticated, "The access token cannot be read.") }
        let key = try await key(of: jwt, slug, at: seconds)
        guard key.verifies(jwt) else {
            throw Problem(.unauthenticated, "The access token's signature is not valid.")
        }
        if let objection = key.rules.objection(to: jwt.claims, at: seconds) {
            throw Problem(.unauthenticated, objection)
        }
        let session = key.rules.own ? jwt.claims.sid : nil
        let answer = try await ask(
            .tokenUser,
            [
                .int(key.rules.tenantID), .text(jwt.claims.sub), .bool(key.rules.own),
                session.map { .text($0) } ?? .null, .instant(Int64(seconds * 1_000_000)),
            ])
        guard let user = answer?.root["user_id"]?.string,
            TokenRules.counts(jwt.claims, validFrom: answer?.root["tokens_valid_from"]?.integer)
        else { throw Problem(.unauthenticated, "The access token is no longer valid. Sign in again.") }
        if answer?.root["notes_use"]?.boolean == true {
            _ = try await ask(
                .noteUse, [.int(key.rules.tenantID), .text(user), .instant(Int64(seconds * 1_000_000))])
        }
        let token = Caller.Token(
            keyID: key.id, issuedAt: TokenRules.issue(of: jwt.claims), expiresAt: jwt.claims.exp)
        let found = Session(
            caller: Caller(
                tenantID: key.rules.tenantID, slug: key.slug, kind: .user(id: user, session: session), token: token,
                wording: Wording(
                    answer?.root["wording"], tenantID: key.rules.tenantID, locale: answer?.root["locale"]?.string)),
            status: key.status, checkedAt: seconds)
        // Trusted no longer than the key itself. Otherwise a revoked key would stay valid for two minutes.
        return (found, min(key.checkedAt + Self.recheck, jwt.claims.exp))
    }

    private func key(of jwt: JWT, _ named: String?, at seconds: Double) async throws(Problem) -> Key {
        let unknown = Problem(.unauthenticated, "The access token was signed with an unknown or revoked key.")
        guard jwt.keyID.utf8.count <= 800, jwt.claims.iss.utf8.count <= 2000, jwt.claims.aud.count <= 20 else {
            throw unknown
        }
        let names = [jwt.keyID, jwt.claims.iss, named ?? ""] + jwt.claims.aud
        // With their lengths, so that two lists never have one digest.
        let place = Digest(of: names.map { "\($0.utf8.count):\($0)" }.joined())
        if let key = keys.value(for: place, at: seconds) { return key }
        let answer = try await ask(
            .tokenKey,
            [
                .text(jwt.keyID), .text(jwt.claims.iss), .array(jwt.claims.aud),
                named.map { .text($0) } ?? .null,
            ])
        guard let facts = answer?.root, let id = facts["key_id"]?.string, let tenant = facts["tenant_id"]?.integer,
            let slug = facts["slug"]?.string, let status = facts["status"]?.string, let own = facts["own"]?.boolean,
            let issuer = facts["issuer"]?.string, let audience = facts["audience"]?.string
        else { throw unknown }
        try Self.agree(named, slug)
        let verifier: Verifier
        if let known = verifiers.value(for: id, at: seconds) {
            verifier = known
        } else if let wrapped = facts["wrapped_secret"]?.string {
            verifier = .hmac(try SigningKey.open(wrapped, tenant: tenant, id: id, with: masterKey))
        } else if let pem = facts["public_key"]?.string, let key = try? PublicKey(pem: pem) {
            verifier = .publicKey(key)
        } else {
            throw Problem(fault: "a key that cannot be read")
        }
        verifiers.insert(verifier, for: id, until: seconds + Self.recheck, at: seconds)
        let key = Key(
            id: id, slug: slug, status: status,
            rules: TokenRules(tenantID: tenant, own: own, issuer: issuer, audience: audience), verifier: verifier,
            checkedAt: seconds)
        keys.insert(key, for: place, until: seconds + Self.life(of: key.status), at: seconds)
        return key
    }

    private func ask(
        _ statement: PostgresStatement, _ values: [PostgresValue]
    ) async throws(Problem) -> JSONDocument? {
        do throws(PostgresError) {
            let result = try await pool.query(statement, values, client: Caller.authentication)
            guard let bytes = result.bytes(0, 0) else { return nil }
            return try? JSONDocument(bytes)
        } catch {
            throw Problem(error)
        }
    }
}

extension PostgresStatement {
    fileprivate static let authenticateKey = PostgresStatement(
        name: "authenticate_key", sql: "select api.authenticate_key($1::bytea, $2::timestamptz, $3::boolean)")
    fileprivate static let tokenKey = PostgresStatement(
        name: "token_key", sql: "select api.token_key($1::text, $2::text, $3::text[], $4::text)")
    fileprivate static let tokenUser = PostgresStatement(
        name: "token_user", sql: "select api.token_user($1::integer, $2::text, $3::boolean, $4::text, $5::timestamptz)")
    fileprivate static let noteUse = PostgresStatement(
        name: "note_use", sql: "select api.note_use($1::integer, $2::uuid, $3::timestamptz)")
    fileprivate static let findTenant = PostgresStatement(
        name: "find_tenant", sql: "select api.find_tenant($1::text)")
}
