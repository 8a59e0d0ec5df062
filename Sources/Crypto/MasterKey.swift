internal import COpenSSL
internal import Foundation

/// The key that wraps every secret we must be able to read again: signing keys, providers' credentials, vault keys.
///
/// A sealed value is `version (1 byte) · nonce (12) · ciphertext · tag (16)`, AES-256-GCM (NIST SP 800-38D). The context
/// (which row it belongs to) is authenticated with it, so a value moved to another row does not open.
public struct MasterKey: Sendable {
    private static let version: UInt8 = 1
    private let bytes: [UInt8]

    /// A key of 32 bytes.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for any other length.
    public init(bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == 32 else { throw .invalidKey("the master key must be 32 bytes, not \(bytes.count)") }
        self.bytes = bytes
    }

    private init(valid bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A key as a person writes it: 64 hexadecimal digits, or base64 of 32 bytes. Surrounding white space is ignored.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the text is neither.
    public init(text: String) throws(CryptoError) {
        let trimmed = text.filter { !$0.isWhitespace }
        if trimmed.count == 64, let bytes = Hex.decode(trimmed) {
            try self.init(bytes: bytes)
        } else if let data = Data(base64Encoded: trimmed), data.count == 32 {
            try self.init(bytes: Array(data))
        } else {
            throw .invalidKey(
                "the master key must be 64 hexadecimal digits or base64 of 32 bytes (openssl rand -hex 32 makes one)")
        }
    }

    /// A new random key.
    public static func generate() -> MasterKey {
        MasterKey(valid: randomBytes(32))
    }

    /// The key as 64 hexadecimal digits, to be kept in a file that only its owner reads.
    public var text: String { Hex.encode(bytes) }

    /// A key of its own for one purpose, from which this one cannot be found: its HMAC-SHA-256 of the purpose.
    public func derived(for purpose: String) throws(CryptoError) -> HMACKey {
        try HMACKey(HMACKey(bytes).authenticationCode(for: "kith/\(purpose)".utf8))
    }

    /// Encrypts `plaintext` for the place that `context` names, for example `jwt_keys/7/<id>`.
    public func seal(_ plaintext: [UInt8], for context: String) throws(CryptoError) -> [UInt8] {
        let nonce = randomBytes(12)
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let associated = [Self.version] + Array(context.utf8)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var length: Int32 = 0
        var end: UInt8 = 0
        guard EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, bytes, nonce) == 1,
            EVP_EncryptUpdate(cipher, nil, &length, associated, Int32(associated.count)) == 1,
            EVP_EncryptUpdate(cipher, &ciphertext, &length, plaintext, Int32(plaintext.count)) == 1,
            EVP_EncryptFinal_ex(cipher, &end, &length) == 1,
            kith_gcm_get_tag(cipher, &tag) == 1
        else { throw .library("AES-256-GCM") }
        return [Self.version] + nonce + ciphertext + tag
    }

    /// Decrypts what ``seal(_:for:)`` made for the same `context`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when the value was changed, moved, or sealed with another key.
    public func open(_ sealed: [UInt8], for context: String) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= 29, sealed[0] == Self.version else { throw .notAuthentic }
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let associated = [Self.version] + Array(context.utf8)
        let ciphertext = Array(sealed[13..<(sealed.count - 16)])
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
        var length: Int32 = 0
        var end: UInt8 = 0
        guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, bytes, Array(sealed[1..<13])) == 1,
            EVP_DecryptUpdate(cipher, nil, &length, associated, Int32(associated.count)) == 1,
            EVP_DecryptUpdate(cipher, &plaintext, &length, ciphertext, Int32(ciphertext.count)) == 1,
            kith_gcm_set_tag(cipher, Array(sealed.suffix(16))) == 1
        else { throw .library("AES-256-GCM") }
        guard EVP_DecryptFinal_ex(cipher, &end, &length) == 1 else { throw .notAuthentic }
        return plaintext
    }
}
