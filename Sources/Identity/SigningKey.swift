internal import Crypto
internal import Foundation
internal import Problems

/// A secret that signs a tenant's access tokens: Kith's own, or the HS256 secret of the tenant's identity provider. The
/// database stores it sealed with the master key and bound to the tenant and the key's id, so that a sealed secret
/// moved to another row does not open.
enum SigningKey {
    /// Makes a new secret and returns it sealed.
    static func make(tenant: Int, id: String, with masterKey: MasterKey) throws(Problem) -> [UInt8] {
        try wrap(randomBytes(32), tenant: tenant, id: id, with: masterKey)
    }

    /// Seals `secret` as the key `id`.
    static func wrap(
        _ secret: [UInt8], tenant: Int, id: String, with masterKey: MasterKey
    ) throws(Problem) -> [UInt8] {
        do throws(CryptoError) {
            return try masterKey.seal(secret, for: context(tenant: tenant, id: id))
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    /// Opens the sealed key `wrapped` (base64).
    ///
    /// - Throws: ``Problem`` `unavailable` if it does not open, because another master key sealed it. An operator can
    ///   configure that key.
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

    /// The sealing context that binds the secret to its row.
    static func context(tenant: Int, id: String) -> String {
        "jwt_keys/\(tenant)/\(id.lowercased())"
    }
}
