internal import Crypto
internal import Foundation

/// A secret with which a tenant's access tokens are signed: by Kith, or with HS256 by the tenant's identity provider. It rests in the database under
/// the master key, bound to the tenant and the key's id, so that a wrapped secret moved to another row does not open.
enum SigningKey {
    /// Makes a new secret, and how it rests.
    static func make(tenant: Int, id: String, with masterKey: MasterKey) throws(Problem) -> [UInt8] {
        try wrap(randomBytes(32), tenant: tenant, id: id, with: masterKey)
    }

    /// How `secret` rests as the key `id`.
    static func wrap(
        _ secret: [UInt8], tenant: Int, id: String, with masterKey: MasterKey
    ) throws(Problem) -> [UInt8] {
        do throws(CryptoError) {
            return try masterKey.seal(secret, for: context(tenant: tenant, id: id))
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    /// The key that rests as `wrapped` (base64).
    ///
    /// - Throws: ``Problem`` `unavailable` when it does not open: this server has another master key than the one that
    ///   sealed it, which an operator can mend.
    static func open(_ wrapped: String, tenant: Int, id: String, with masterKey: MasterKey) throws(Problem) -> HMACKey {
        guard let sealed = Data(base64Encoded: wrapped.filter { !$0.isWhitespace }) else {
            throw Problem(fault: "a signing key that is not base64")
        }
        do throws(CryptoError) {
            return try HMACKey(masterKey.open(Array(sealed), for: context(tenant: tenant, id: id)))
        } catch {
            throw Problem(.unavailable, "The server's master key does not open this tenant's signing key.")
        }
    }

    /// What the secret is bound to.
    static func context(tenant: Int, id: String) -> String {
        "jwt_keys/\(tenant)/\(id.lowercased())"
    }
}
