internal import Crypto
internal import Foundation

/// A key with which Kith signs a tenant's access tokens. Its secret rests in the database under the master key, bound to the
/// tenant and the key's id, so that a wrapped secret moved to another row does not open.
enum SigningKey {
    /// Makes a new secret, and how it rests.
    static func make(tenant: Int, id: String, with masterKey: MasterKey) throws(Problem) -> [UInt8] {
        do throws(CryptoError) {
            return try masterKey.seal(randomBytes(32), for: context(tenant: tenant, id: id))
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

    private static func context(tenant: Int, id: String) -> String {
        "jwt_keys/\(tenant)/\(id.lowercased())"
    }
}
