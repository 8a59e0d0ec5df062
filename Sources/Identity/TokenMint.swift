package import Crypto
internal import Foundation
package import HTTP
internal import JSON
internal import Postgres
package import Problems
package import Requests

/// Signs access tokens for a tenant's users. The tenant's signing key is made on first use, because the database, where
/// operators create tenants, has no master key to seal it with.
package struct TokenMint {
    /// The default lifetime of a token, in seconds.
    static let usualLife = 3600

    /// A key that signs a tenant's tokens.
    package struct Key {
        package let id: String
        package let hmac: HMACKey
    }

    package let statements: Statements
    package let masterKey: MasterKey

    /// Signs tokens with keys from `statements`.
    package init(statements: Statements, masterKey: MasterKey) {
        self.statements = statements
        self.masterKey = masterKey
    }

    /// Answers `POST /v1/tokens`.
    package func answer(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        guard let root = request.body?.root, let user = root["user_id"]?.string else {
            throw Problem(fault: "a checked body without user_id")
        }
        let life = root["ttl_seconds"]?.integer ?? Self.usualLife
        guard let facts = try await statements.facts(Self.subject, as: caller, [.text(user)])?.root,
            let subject = facts["user_id"]?.string, let validFrom = facts["tokens_valid_from"]?.integer
        else { throw Problem(fault: "api.token_subject gave no user") }
        let key = try await key(of: caller, at: request.now)
        // Signing out everywhere ends all tokens of its second. One that is requested after it must not be among them.
        let issue = max(request.now, Int64(validFrom))
        let token = try token(for: subject, of: caller, session: nil, seconds: life, at: issue, by: key)
        var json = JSONWriter()
        json.object { json in
            json.field("access_token", token)
            json.field("token_type", "Bearer")
            json.field("expires_in", life)
        }
        return Answer.jsonResponse(request.success, json.bytes)
    }

    /// Makes a token for `user` in the tenant of `caller`, issued at `now` (microseconds since 1970).
    package func token(
        for user: String, of caller: Caller, session: String?, seconds: Int, at now: Int64, by key: Key
    ) throws(Problem) -> String {
        let issued = Double(now / 1_000_000)
        let claims = JWT.Claims(
            iss: "kith", aud: [caller.slug], sub: user, tid: caller.tenantID, sid: session, iat: issued,
            exp: issued + Double(seconds))
        guard let token = try? JWT.sign(claims, keyID: key.id, by: key.hmac) else {
            throw Problem(fault: "an access token could not be written")
        }
        return token
    }

    /// The signing key of the tenant of `caller`. It is made if there is none.
    package func key(of caller: Caller, at now: Int64) async throws(Problem) -> Key {
        if let known = try await statements.facts(Self.key, as: caller, [.instant(now)]) {
            return try open(known, caller)
        }
        let id = UUID().uuidString.lowercased()
        let wrapped = try SigningKey.make(tenant: caller.tenantID, id: id, with: masterKey)
        // Two servers can get here at once. The database keeps the first key and returns it to both.
        let made = try await statements.facts(
            Self.addKey, as: caller, [.text(id), .bytea(wrapped), .instant(now)])
        guard let made else { throw Problem(fault: "api.add_signing_key gave no key") }
        return try open(made, caller)
    }

    private func open(_ facts: JSONDocument, _ caller: Caller) throws(Problem) -> Key {
        guard let id = facts.root["key_id"]?.string, let wrapped = facts.root["wrapped_secret"]?.string else {
            throw Problem(fault: "a signing key without id or secret")
        }
        return Key(
            id: id, hmac: try SigningKey.open(wrapped, tenant: caller.tenantID, id: id, with: masterKey))
    }

    private static let subject = ProcedureCall("api.token_subject", ["uuid"], lane: .reads, checksCaller: true)
    private static let key = ProcedureCall("api.signing_key", ["timestamptz"], lane: .reads)
    private static let addKey = ProcedureCall(
        "api.add_signing_key", ["uuid", "bytea", "timestamptz"], lane: .writes, worksWhileSuspended: true)
}
