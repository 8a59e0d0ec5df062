internal import Crypto
internal import EventLoop
internal import HTTP
internal import Postgres

/// Finds out who sends a request: by a tenant's secret key or by a user's access token.
///
/// A credential is checked in full once, and its result believed for at most ``recheck`` seconds: so a revoked key, a
/// suspended tenant and a sign-out everywhere take effect within that time on every server.
///
/// Confined to the event loop's thread: only the API server of that loop has it.
final class Authenticator {
    static let recheck = 60.0

    private struct Key {
        let slug: String
        let status: String
        let rules: TokenRules
        let hmac: HMACKey
    }

    private struct Session {
        let caller: Caller
        let status: String
    }

    private let pool: PostgresPool
    private let masterKey: MasterKey
    private var sessions = ExpiringCache<Session>(capacity: 200_000)
    private var keys = ExpiringCache<Key>(capacity: 20_000)
    /// Credentials that were refused, so that repeating one costs no query.
    private var refusals = ExpiringCache<String?>(capacity: 20_000)

    init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        self.masterKey = masterKey
    }

    /// Who sends `request`, which the server received at `now` (microseconds since 1970).
    ///
    /// - Throws: ``Problem`` `unauthenticated`, `tenant_suspended`, or `unavailable` when the database cannot be asked.
    func caller(of request: HTTPRequest, at now: Int64) async throws(Problem) -> Caller {
        guard let header = request.header("Authorization") else { throw Problem(.unauthenticated) }
        guard header.utf8.count > 7, header.prefix(7).lowercased() == "bearer " else {
            throw Problem(.unauthenticated, "Send the credential as Authorization: Bearer <token>.")
        }
        let credential = String(header.dropFirst(7))
        let seconds = Double(now) / 1_000_000
        let session: Session
        if let known = sessions.value(for: credential, at: seconds) {
            session = known
        } else if let refusal = refusals.value(for: credential, at: seconds) {
            throw Problem(.unauthenticated, refusal)
        } else {
            session = try await check(credential, at: seconds, now: now)
        }
        guard session.status == "active" else { throw Problem(.tenantSuspended) }
        return session.caller
    }

    /// Believes the credential of `request` no longer, because the account behind it has ended. Other servers may for up to
    /// ``recheck`` seconds more; the database writes nothing for a user who is gone.
    func forget(_ request: HTTPRequest) {
        guard let header = request.header("Authorization") else { return }
        sessions.remove(String(header.dropFirst(7)))
    }

    private func check(_ credential: String, at seconds: Double, now: Int64) async throws(Problem) -> Session {
        do throws(Problem) {
            if credential.hasPrefix("kith_sk_") {
                return try await checkKey(credential, at: seconds, now: now)
            }
            return try await checkToken(credential, at: seconds)
        } catch {
            if error.code == .unauthenticated {
                // Short: a key that was just made must not stay unknown for long.
                refusals.insert(error.detail, for: credential, until: seconds + 5, at: seconds)
            }
            throw error
        }
    }

    private func checkKey(_ key: String, at seconds: Double, now: Int64) async throws(Problem) -> Session {
        let answer = try await ask(.authenticateKey, [.bytea(sha256(key.utf8)), .instant(now)])
        guard let facts = answer?.root, let tenant = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string,
            let id = facts["key_id"]?.string, let status = facts["status"]?.string
        else { throw Problem(.unauthenticated, "The secret key is unknown, expired or revoked.") }
        let scopes = facts["scopes"]?.elements.compactMap(\.string) ?? []
        let session = Session(
            caller: Caller(tenantID: tenant, slug: slug, kind: .key(id: id, scopes: scopes)), status: status)
        sessions.insert(session, for: key, until: seconds + Self.recheck, at: seconds)
        return session
    }

    private func checkToken(_ token: String, at seconds: Double) async throws(Problem) -> Session {
        guard let jwt = JWT(token), TextFormat.uuid.accepts(jwt.keyID) else {
            throw Problem(.unauthenticated, "The access token cannot be read.")
        }
        let key = try await key(jwt.keyID, at: seconds)
        guard jwt.isSigned(by: key.hmac) else {
            throw Problem(.unauthenticated, "The access token's signature is not valid.")
        }
        if let objection = key.rules.objection(to: jwt.claims, at: seconds) {
            throw Problem(.unauthenticated, objection)
        }
        guard !key.rules.own || TextFormat.uuid.accepts(jwt.claims.sub) else {
            throw Problem(.unauthenticated, "The access token names no user.")
        }
        let answer = try await ask(
            .tokenUser, [.int(key.rules.tenantID), .text(jwt.claims.sub), .bool(key.rules.own)])
        guard let user = answer?.root["user_id"]?.string, let from = answer?.root["tokens_valid_from"]?.integer,
            TokenRules.counts(issuedAt: jwt.claims.iat, validFrom: from)
        else { throw Problem(.unauthenticated, "The access token is no longer valid. Sign in again.") }
        let session = Session(
            caller: Caller(tenantID: key.rules.tenantID, slug: key.slug, kind: .user(id: user)), status: key.status)
        sessions.insert(session, for: token, until: min(seconds + Self.recheck, jwt.claims.exp), at: seconds)
        return session
    }

    private func key(_ id: String, at seconds: Double) async throws(Problem) -> Key {
        if let key = keys.value(for: id, at: seconds) { return key }
        let answer = try await ask(.tokenKey, [.text(id)])
        guard let facts = answer?.root, let tenant = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string,
            let status = facts["status"]?.string, let own = facts["own"]?.boolean,
            let issuer = facts["issuer"]?.string, let audience = facts["audience"]?.string,
            facts["algorithm"]?.string == "HS256", let wrapped = facts["wrapped_secret"]?.string
        else { throw Problem(.unauthenticated, "The access token was signed with an unknown or revoked key.") }
        let key = Key(
            slug: slug, status: status,
            rules: TokenRules(tenantID: tenant, own: own, issuer: issuer, audience: audience),
            hmac: try SigningKey.open(wrapped, tenant: tenant, id: id, with: masterKey))
        keys.insert(key, for: id, until: seconds + Self.recheck, at: seconds)
        return key
    }

    private func ask(
        _ statement: PostgresStatement, _ values: [PostgresValue]
    ) async throws(Problem) -> JSONDocument? {
        do throws(PostgresError) {
            let result = try await pool.query(statement, values)
            guard let bytes = result.bytes(0, 0) else { return nil }
            return try? JSONDocument(bytes)
        } catch {
            throw Problem(error)
        }
    }
}

extension PostgresStatement {
    fileprivate static let authenticateKey = PostgresStatement(
        name: "authenticate_key", sql: "select api.authenticate_key($1::bytea, $2::timestamptz)")
    fileprivate static let tokenKey = PostgresStatement(name: "token_key", sql: "select api.token_key($1::uuid)")
    fileprivate static let tokenUser = PostgresStatement(
        name: "token_user", sql: "select api.token_user($1::integer, $2::text, $3::boolean)")
}
