package import Crypto
internal import Foundation
package import HTTP
internal import JSON
internal import Postgres
package import Problems
package import Requests

/// The keys of a tenant's identity provider. They are validated before they are stored: the holder of a private key can
/// act as any user.
package struct ProviderKeys {
    package let statements: Statements
    package let masterKey: MasterKey

    /// Stores keys with `statements`.
    package init(statements: Statements, masterKey: MasterKey) {
        self.statements = statements
        self.masterKey = masterKey
    }

    /// Answers `POST /v1/tenant/jwt-keys`.
    package func add(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let body = request.body?.root, let issuer = body["issuer"]?.string,
            let audience = body["audience"]?.string
        else { throw Problem(fault: "a checked body without issuer or audience") }
        guard issuer != "kith" else { throw .invalid("issuer", "must not be kith, which is Kith's own issuer") }
        let caller = try request.identified()
        let keys = try Self.keys(body)
        var rows: [(id: String, key: JSONWebKey, wrapped: [UInt8]?)] = []
        for key in keys {
            let id = UUID().uuidString.lowercased()
            if case .secret(let secret) = key.material {
                rows.append(
                    (id, key, try SigningKey.wrap(secret, tenant: caller.tenantID, id: id, with: masterKey)))
            } else {
                rows.append((id, key, nil))
            }
        }
        var json = JSONWriter()
        json.array(rows) { json, row in
            json.object { json in
                json.field("id", row.id)
                json.field("kid", row.key.kid)
                json.field("algorithm", row.key.algorithm.rawValue)
                json.field("issuer", issuer)
                json.field("audience", audience)
                if case .publicKey(let key) = row.key.material { json.field("public_key", key.pem) }
                if let wrapped = row.wrapped { json.field("wrapped_secret", "\\x\(Hex.encode(wrapped))") }
            }
        }
        let answer = try await statements.ask(
            Self.addKeys, as: caller, [.bytes(json.bytes), .instant(request.now)])
        return try Answer.response(answer, success: request.success)
    }

    /// The keys of a body: one in PEM, or those of a key set.
    private static func keys(_ body: JSONValue) throws(Problem) -> [JSONWebKey] {
        switch (body["public_key"]?.string, body["jwks"]) {
        case (let pem?, nil):
            guard let kid = body["kid"]?.string else { throw .invalid("kid", "is required with public_key") }
            let key: PublicKey
            do throws(CryptoError) {
                key = try PublicKey(pem: pem)
            } catch {
                throw .invalid("public_key", "\(error)")
            }
            if let named = body["algorithm"]?.string, named != key.algorithm.rawValue {
                throw .invalid("algorithm", "must be \(key.algorithm.rawValue) for this key")
            }
            return [JSONWebKey(kid: kid, material: .publicKey(key))]
        case (nil, let set?):
            for member in ["kid", "algorithm"] where body[member] != nil {
                throw .invalid(member, "must not be given together with jwks, which has it for each key")
            }
            return try keys(ofSet: set)
        case (nil, nil): throw .invalid("public_key", "or jwks is required")
        case (_?, _?): throw .invalid("jwks", "must not be given together with public_key")
        }
    }

    private static func keys(ofSet set: JSONValue) throws(Problem) -> [JSONWebKey] {
        var keys: [JSONWebKey] = []
        var errors: [FieldError] = []
        for (index, value) in (set["keys"]?.elements ?? []).enumerated() where !JSONWebKey.isForSomethingElse(value) {
            do throws(JSONWebKey.Refusal) {
                let key = try JSONWebKey(value)
                if keys.contains(where: { $0.kid == key.kid }) {
                    throw JSONWebKey.Refusal(member: "kid", reason: "must not be that of another key")
                }
                keys.append(key)
            } catch {
                errors.append(.init(field: "jwks.keys[\(index)].\(error.member)", message: error.reason))
            }
        }
        if keys.isEmpty && errors.isEmpty {
            errors.append(.init(field: "jwks.keys", message: "must hold a key for signing"))
        }
        guard errors.isEmpty else { throw Problem(.validationFailed, errors: errors) }
        return keys
    }

    private static let addKeys = ProcedureCall("api.add_jwt_keys", ["jsonb", "timestamptz"], lane: .writes)
}
