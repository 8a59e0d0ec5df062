internal import Crypto
internal import Foundation
internal import HTTP
internal import Postgres

/// Signs access tokens for a tenant's users. The tenant's signing key is made when it is first needed, because the database,
/// where an operator makes tenants, has no master key to wrap it with.
struct TokenMint {
    /// How long a token lives where the call does not say.
    static let usualLife = 3600

    let pool: PostgresPool
    let masterKey: MasterKey

    /// Answers `POST /v1/tokens`.
    func answer(_ document: JSONDocument?, caller: Caller, now: Int64) async throws(Problem) -> HTTPResponse {
        guard let root = document?.root, let user = root["user_id"]?.string else {
            throw Problem(fault: "a checked body without user_id")
        }
        let life = root["ttl_seconds"]?.integer ?? Self.usualLife
        guard let subject = try await ask(Self.subject, caller, [.text(user)])?.root["user_id"]?.string else {
            throw Problem(fault: "api.token_subject gave no user")
        }
        let issued = Double(now / 1_000_000)
        let key = try await signingKey(caller, now)
        let claims = JWT.Claims(
            iss: "kith", aud: [caller.slug], sub: subject, tid: caller.tenantID, iat: issued, exp: issued + Double(life)
        )
        guard let token = try? JWT.sign(claims, keyID: key.id, by: key.hmac) else {
            throw Problem(fault: "an access token could not be written")
        }
        var json = JSONWriter()
        json.object { json in
            json.field("access_token", token)
            json.field("token_type", "Bearer")
            json.field("expires_in", life)
        }
        return Answer.jsonResponse(.created, json.bytes)
    }

    private func signingKey(_ caller: Caller, _ now: Int64) async throws(Problem) -> (id: String, hmac: HMACKey) {
        if let known = try await ask(Self.key, caller, [.instant(now)]) {
            return try open(known, caller)
        }
        let id = UUID().uuidString.lowercased()
        let wrapped = try SigningKey.make(tenant: caller.tenantID, id: id, with: masterKey)
        // Two servers may get here at once: the database keeps the first key and gives it to both.
        let made = try await ask(
            Self.addKey, caller, [.text(id), .bytea(wrapped), .instant(now)])
        guard let made else { throw Problem(fault: "api.add_signing_key gave no key") }
        return try open(made, caller)
    }

    private func open(_ facts: JSONDocument, _ caller: Caller) throws(Problem) -> (id: String, hmac: HMACKey) {
        guard let id = facts.root["key_id"]?.string, let wrapped = facts.root["wrapped_secret"]?.string else {
            throw Problem(fault: "a signing key without id or secret")
        }
        return (id, try SigningKey.open(wrapped, tenant: caller.tenantID, id: id, with: masterKey))
    }

    private func ask(
        _ call: Service.Call, _ caller: Caller, _ values: [PostgresValue]
    ) async throws(Problem) -> JSONDocument? {
        do throws(PostgresError) {
            let result = try await pool.query(
                call.statement, Service.Call.context(of: caller) + values, lane: call.lane)
            return result.bytes(0, 0).flatMap { try? JSONDocument($0) }
        } catch {
            throw Problem(error)
        }
    }

    private static let subject = Service.Call("api.token_subject", ["uuid"], lane: .reads)
    private static let key = Service.Call("api.signing_key", ["timestamptz"], lane: .reads)
    private static let addKey = Service.Call("api.add_signing_key", ["uuid", "bytea", "timestamptz"], lane: .writes)
}
