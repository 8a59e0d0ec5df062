internal import COpenSSL
internal import Glibc

/// A key pair of P-256, with which we sign tokens for push services (ES256), and agree on a secret with a browser.
///
/// `@unchecked Sendable`: the `EVP_PKEY` is not changed after it was made, and each use has a context of its own.
public final class PrivateKey: @unchecked Sendable {
    private let key: OpaquePointer
    /// The public half as an uncompressed point (SEC 1 §2.3.3): 65 bytes, of which the first is 4.
    public let point: [UInt8]

    /// A key from its PEM text: PKCS#8 without a password (`-----BEGIN PRIVATE KEY-----`), which is what Apple's `.p8` files hold.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything else: another curve, a public key, a password.
    public convenience init(pem: String) throws(CryptoError) {
        // Without a function that gives the password OpenSSL would ask for it on the terminal.
        guard let key = try PEM.key(in: pem, { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }) else {
            ERR_clear_error()
            throw .invalidKey(
                "must be a private key in PEM, without a password, beginning with -----BEGIN PRIVATE KEY-----")
        }
        try self.init(owning: key)
    }

    /// A new random key.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public static func generate() throws(CryptoError) -> PrivateKey {
        guard let key = kith_p256_generate() else { throw .library("EVP_EC_gen") }
        return try PrivateKey(owning: key)
    }

    /// Takes over a key.
    private init(owning key: OpaquePointer) throws(CryptoError) {
        var name = [CChar](repeating: 0, count: 64)
        var point = [UInt8](repeating: 0, count: 65)
        guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1,
            strncmp(name, "prime256v1", name.count) == 0, kith_p256_point(key, &point) == 1
        else {
            EVP_PKEY_free(key)
            ERR_clear_error()
            throw .invalidKey("must be of the curve P-256")
        }
        self.key = key
        self.point = point
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The key in PEM, the same for the same key however it was given. To be sealed before it rests anywhere.
    public var pem: String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        precondition(
            PEM_write_bio_PKCS8PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1,
            "OpenSSL could not write a private key")
        let count = BIO_ctrl_pending(memory)
        return String(unsafeUninitializedCapacity: count) { buffer in
            Int(max(0, BIO_read(memory, buffer.baseAddress, Int32(count))))
        }
    }

    /// The signature of `message` with ES256, in the form of a token (RFC 7518 §3.4): 64 bytes, another each time.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public func signature(for message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        let input = Array(message)
        var der = [UInt8](repeating: 0, count: 72)
        var length = der.count
        var raw = [UInt8](repeating: 0, count: 64)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &length, input, input.count) == 1,
            kith_ecdsa_raw(der, length, &raw) == 1
        else {
            ERR_clear_error()
            throw .library("ECDSA")
        }
        return raw
    }

    /// What this key and the owner of `point`, an uncompressed one of P-256, both can compute and nobody else (ECDH, SEC 1 §3.3.1):
    /// 32 bytes, from which keys are to be derived.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when `point` is not on the curve.
    public func sharedSecret(with point: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard point.count == 65, point[0] == 4, let peer = kith_p256_key(point) else {
            ERR_clear_error()
            throw .invalidKey("must be a point of P-256")
        }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(key, nil) else { throw .library("EVP_PKEY_CTX_new") }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = secret.count
        // The point is on the curve, or there were no `peer`. On a curve with the cofactor 1 that is all there is to check, and OpenSSL would
        // take as long for it again as for the secret.
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else {
            ERR_clear_error()
            throw .library("ECDH")
        }
        return secret
    }
}
