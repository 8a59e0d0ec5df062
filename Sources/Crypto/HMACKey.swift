internal import COpenSSL

/// A key for HMAC with SHA-256 (RFC 2104). It is prepared once, so that a use costs a quarter of the one-shot call.
///
/// Confined to the task or thread that created it, because each use changes the context.
public final class HMACKey {
    private let context: OpaquePointer
    private let key: [UInt8]

    /// Creates a key from its bytes.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for a key under 32 bytes, which RFC 7518 §3.2 forbids for HS256.
    public init(_ key: [UInt8]) throws(CryptoError) {
        guard key.count >= 32 else { throw .invalidKey("an HMAC-SHA256 key needs at least 32 bytes") }
        guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else { throw .library("EVP_MAC_fetch") }
        defer { EVP_MAC_free(algorithm) }
        guard let made = EVP_MAC_CTX_new(algorithm) else { throw .library("EVP_MAC_CTX_new") }
        context = made
        self.key = key
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    /// Returns the authentication code of `message`, 32 bytes.
    public func authenticationCode(for message: some Collection<UInt8>) -> [UInt8] {
        let input = Array(message)
        return [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
            var length = 0
            let done =
                kith_hmac_sha256_init(context, key, key.count) == 1
                && EVP_MAC_update(context, input, input.count) == 1
                && EVP_MAC_final(context, buffer.baseAddress, &length, 32) == 1
            precondition(done && length == 32, "OpenSSL's HMAC failed")
            initialized = 32
        }
    }

    /// Whether `code` is the authentication code of `message`, compared in constant time.
    public func isValid(_ code: [UInt8], for message: some Collection<UInt8>) -> Bool {
        let expected = authenticationCode(for: message)
        return code.count == expected.count && CRYPTO_memcmp(code, expected, expected.count) == 0
    }
}
