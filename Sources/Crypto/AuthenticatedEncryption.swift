internal import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) in the format that Kith stores: `version (1 byte) · nonce (12) · ciphertext · tag
/// (16)`. The associated data names the place where a value belongs. It is authenticated, but not stored.
enum AuthenticatedEncryption {
    private static let version: UInt8 = 1
    private static let nonceSize = 12
    /// The length of the authentication tag in bytes.
    static let tagSize = 16
    private static let start = 1 + nonceSize
    /// How many bytes longer than its plaintext a sealed value is.
    static let overhead = start + tagSize

    /// Encrypts `plaintext` under a key of 32 bytes, with a random nonce.
    static func seal(
        _ plaintext: ArraySlice<UInt8>, with key: [UInt8], associated: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let nonce = randomBytes(nonceSize)
        return try encrypt(
            plaintext, with: key, nonce: nonce, associated: [version] + associated, behind: [version] + nonce)
    }

    /// Returns `prefix` followed by the ciphertext of `plaintext` and its tag. The key has 32 bytes, or 16 for
    /// AES-128-GCM. A nonce (12 bytes) must be used only once with a key.
    static func encrypt(
        _ plaintext: ArraySlice<UInt8>, with key: [UInt8], nonce: [UInt8], associated: [UInt8],
        behind prefix: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let start = prefix.count
        let size = start + plaintext.count + tagSize
        let algorithm = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        var isDone = false
        let sealed = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            guard let output = buffer.baseAddress else { return }
            for (index, byte) in prefix.enumerated() { output[index] = byte }
            var length: Int32 = 0
            isDone =
                EVP_EncryptInit_ex(cipher, algorithm, nil, key, nonce) == 1
                && EVP_EncryptUpdate(cipher, nil, &length, associated, Int32(associated.count)) == 1
                && plaintext.withUnsafeBufferPointer {
                    // An empty slice may have no address, and OpenSSL would take a null output for associated data.
                    $0.isEmpty
                        || EVP_EncryptUpdate(cipher, output + start, &length, $0.baseAddress, Int32($0.count)) == 1
                }
                && EVP_EncryptFinal_ex(cipher, output + start + plaintext.count, &length) == 1
                && kith_gcm_get_tag(cipher, output + start + plaintext.count) == 1
            count = isDone ? size : 0
        }
        guard isDone else { throw .library("AES-GCM") }
        return sealed
    }

    /// Decrypts a value that ``seal(_:with:associated:)`` made.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when the value was changed, belongs elsewhere, or was sealed with another
    ///   key.
    static func open(_ sealed: [UInt8], with key: [UInt8], associated: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= overhead, sealed[0] == version else { throw .notAuthentic }
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let associated = [version] + associated
        let size = sealed.count - overhead
        var failure: CryptoError? = .library("AES-256-GCM")
        let plaintext = [UInt8](unsafeUninitializedCapacity: size + tagSize) { output, count in
            sealed.withUnsafeBufferPointer { input in
                guard let input = input.baseAddress, let output = output.baseAddress else { return }
                var length: Int32 = 0
                guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, input + 1) == 1,
                    EVP_DecryptUpdate(cipher, nil, &length, associated, Int32(associated.count)) == 1,
                    size == 0 || EVP_DecryptUpdate(cipher, output, &length, input + start, Int32(size)) == 1,
                    kith_gcm_set_tag(cipher, input + start + size) == 1
                else { return }
                guard EVP_DecryptFinal_ex(cipher, output + size, &length) == 1 else {
                    failure = .notAuthentic
                    return
                }
                failure = nil
                count = size
            }
        }
        if let failure { throw failure }
        return plaintext
    }
}
