internal import COpenSSL
internal import Glibc

/// A P-256 key pair. Kith signs tokens for push services with it (ES256), and agrees on a secret with a browser.
///
/// `@unchecked Sendable`: the `EVP_PKEY` does not change after its creation, and each use has its own context.
public final class PrivateKey: @unchecked Sendable {
    private let key: OpaquePointer
    /// The public key as an uncompressed point (SEC 1 §2.3.3): 65 bytes, the first of which is 4.
    public let point: [UInt8]

    /// Reads a key from PEM: PKCS#8 without a password (`-----BEGIN PRIVATE KEY-----`), the format of Apple's `.p8`
    /// files.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything else, such as another curve, a public key or a password.
    public convenience init(pem: String) throws(CryptoError) {
        // Without a callback for the password, OpenSSL would ask for it on the terminal.
        guard let key = try PEM.key(in: pem, { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }) else {
            ERR_clear_error()
            throw .invalidKey(
                "must be a private key in PEM, without a password, beginning with -----BEGIN PRIVATE KEY-----")
        }
        try self.init(owning: key)
    }

    /// Generates a random key.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public static func generate() throws(CryptoError) -> PrivateKey {
        guard let key = kith_p256_generate() else { throw .library("EVP_EC_gen") }
        return try PrivateKey(owning: key)
    }

    /// Takes ownership of a key.
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

    /// The key in PEM. The same key always has the same text. Seal it before storing it.
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

    /// Signs `message` with ES256. The signature has the format of tokens (RFC 7518 §3.4): 64 bytes, different each
    /// time.
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

    /// Computes the secret that only this key and the owner of `point` can compute (ECDH, SEC 1 §3.3.1). `point` is an
    /// uncompressed point on P-256. The secret has 32 bytes; derive keys from it.
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
        // Skip OpenSSL's validation of the point, which would take as long as the derivation. The point is on the
        // curve, or there would be no `peer`, and with a cofactor of 1 no other check is needed.
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else {
            ERR_clear_error()
            throw .library("ECDH")
        }
        return secret
    }
}
