/// The content encoding `aes128gcm` (RFC 8188), of one record: what a push message needs, and all that it may have (RFC 8291 §4).
public enum ContentEncoding {
    /// The bytes of a random salt.
    public static let saltSize = 16
    /// How much longer than its content a message is, without padding and the id of the key: the header's salt, record size and length of
    /// the id (§2.1), the byte that ends the content, and the tag (§2).
    public static let overhead = saltSize + 4 + 1 + 1 + AuthenticatedEncryption.tagSize
    /// A record's size is said to the receiver, and need not be reached by the last (§2).
    private static let recordSize = 4096

    /// Encrypts `content` under keys derived from `secret`, followed by `padding` bytes that the receiver drops. `keyID` goes with it, in the
    /// clear.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when it is longer than one record; ``CryptoError/library(_:)``.
    public static func encrypt(
        _ content: [UInt8], padding: Int = 0, with secret: [UInt8], salt: [UInt8], keyID: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        // 2 says that it is the last record; zeros after it are padding.
        let record = content + [2] + [UInt8](repeating: 0, count: padding)
        guard salt.count == saltSize, keyID.count < 256, record.count + AuthenticatedEncryption.tagSize <= recordSize
        else { throw .invalidKey("must fit one record") }
        let key = try hkdf(secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        // The nonce of record 0 is the derived one itself (§2.3).
        let nonce = try hkdf(secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
        let size = withUnsafeBytes(of: UInt32(recordSize).bigEndian) { Array($0) }
        return try salt + size + [UInt8(keyID.count)] + keyID
            + AuthenticatedEncryption.encrypt(record[...], with: key, nonce: nonce, associated: [])
    }
}
