public import Crypto
internal import Foundation
internal import JSON
public import Postgres
internal import Problems

/// Access tokens that an operator mints without the server, with access to the database and the master key.
public enum AccessToken {
    /// The reason why no token was minted.
    public enum MintingError: Error, CustomStringConvertible {
        /// No tenant has this slug.
        case unknownTenant(String)
        /// The tenant has no user with this id.
        case unknownUser(String)
        /// The master key is not the one that sealed the tenant's signing key.
        case wrongMasterKey

        /// The reason, as an operator reads it.
        public var description: String {
            switch self {
            case .unknownTenant(let slug): "there is no tenant \(slug); kith tenant list shows them"
            case .unknownUser(let user): "the tenant has no user \(user)"
            case .wrongMasterKey:
                "the master key does not open the tenant's signing key: is KITH_MASTER_KEY the server's?"
            }
        }
    }

    /// Mints a token for the tenant's user that is valid for `seconds`. Creates the tenant's signing key if there is
    /// none yet.
    ///
    /// - Throws: ``MintingError`` or `PostgresError`.
    public static func mint(
        tenant slug: String, user: String, seconds: Int, masterKey: MasterKey, session: PostgresSession
    ) throws -> String {
        let found = try session.query(
            "select tenant_id, (extract(epoch from now()))::bigint from kith.tenants where slug = $1", [.text(slug)])
        guard found.rowCount == 1, let tenant = found.int(0, 0), let now = found.int(0, 1) else {
            throw MintingError.unknownTenant(slug)
        }
        let known = try session.query(
            "select from kith.users where tenant_id = $1::integer and id = $2::uuid and deleted_at is null",
            [.int(tenant), .text(user)])
        guard known.rowCount == 1 else { throw MintingError.unknownUser(user) }
        _ = try session.query("select set_config('kith.tenant_id', $1, false)", [.text(String(tenant))])
        defer { try? session.execute("reset kith.tenant_id") }
        let key = try signingKey(tenant, masterKey, session)
        let claims = JWT.Claims(
            iss: "kith", aud: [slug], sub: user.lowercased(), tid: tenant, iat: Double(now), exp: Double(now + seconds))
        return try JWT.sign(claims, keyID: key.id, by: key.hmac)
    }

    private static func signingKey(
        _ tenant: Int, _ masterKey: MasterKey, _ session: PostgresSession
    ) throws -> (id: String, hmac: HMACKey) {
        var answer = try session.query("select api.signing_key(now())").bytes(0, 0)
        if answer == nil {
            let id = UUID().uuidString.lowercased()
            let wrapped = try SigningKey.make(tenant: tenant, id: id, with: masterKey)
            answer = try session.query(
                "select api.add_signing_key($1::uuid, $2::bytea, now())", [.text(id), .bytea(wrapped)]
            ).bytes(0, 0)
        }
        guard let facts = try answer.map({ try JSONDocument(answer: $0) }), let id = facts.root["key_id"]?.string,
            let wrapped = facts.root["wrapped_secret"]?.string,
            let hmac = try? SigningKey.open(wrapped, tenant: tenant, id: id, with: masterKey)
        else { throw MintingError.wrongMasterKey }
        return (id, hmac)
    }
}
