/// The content encoding `aes128gcm` (RFC 8188) with a single record, which is all that a push message may have (RFC
/// 8291 §4).
public enum ContentEncoding {
    /// The length of a random salt in bytes.
    public static let saltSize = 16
    /// How many bytes longer than its content a message is, not counting padding and the key id: the header's salt,
    /// record size and key id length (§2.1), the byte that ends the content, and the tag (§2).
    public static let overhead = saltSize + 4 + 1 + 1 + AuthenticatedEncryption.tagSize
    /// The record size that the header declares. The last record may be shorter (§2).
    private static let recordSize = 4096

    /// Encrypts `content` under keys derived from `secret`, followed by `padding` bytes that the receiver drops.
    /// `keyID` is sent in the clear.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the content does not fit into one record;
    ///   ``CryptoError/library(_:)``.
    public static func encrypt(
        _ content: [UInt8], padding: Int = 0, with secret: [UInt8], salt: [UInt8], keyID: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        // The byte 2 marks the last record. Zeros after it are padding.
        let record = content + [2] + [UInt8](repeating: 0, count: padding)
        guard salt.count == saltSize, keyID.count < 256, record.count + AuthenticatedEncryption.tagSize <= recordSize
        else { throw .invalidKey("must fit one record") }
        let key = try hkdf(secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        // The nonce of record 0 is the derived nonce itself (§2.3).
        let nonce = try hkdf(secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
        let size = withUnsafeBytes(of: UInt32(recordSize).bigEndian) { Array($0) }
        return try salt + size + [UInt8(keyID.count)] + keyID
            + AuthenticatedEncryption.encrypt(record[...], with: key, nonce: nonce, associated: [])
    }
}
