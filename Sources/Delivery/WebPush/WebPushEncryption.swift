internal import Crypto

/// The encryption of a push message. The browser can decrypt it; the push service cannot (RFC 8291).
enum WebPushEncryption {
    /// The longest content in bytes. A push service must accept messages of 4096 bytes (RFC 8291 §4). Their header is
    /// that of RFC 8188 and the sender's key, which adds 65 bytes.
    static let limit = 4096 - ContentEncoding.overhead - 65

    /// Contents are padded to a multiple of this many bytes, because their length would reveal to the push service what
    /// they say.
    private static let step = 128

    /// Encrypts `content` for a subscription. Returns nil when the subscription's keys are invalid. Both the key and
    /// the salt must be new for each message.
    static func encrypt(
        _ content: [UInt8], for keys: WebPushKeys, key: PrivateKey, salt: [UInt8], isPadded: Bool = true
    ) throws(CryptoError) -> [UInt8]? {
        guard let point = WebPushKeys.bytes(keys.p256dh), let authentication = WebPushKeys.bytes(keys.auth),
            !authentication.isEmpty
        else {
            return nil
        }
        let secret: [UInt8]
        do throws(CryptoError) {
            secret = try key.sharedSecret(with: point)
        } catch {
            guard case .invalidKey = error else { throw error }
            return nil
        }
        let info = Array("WebPush: info\0".utf8) + point + key.point
        let material = try hkdf(secret, salt: authentication, info: info, count: 32)
        let rest = content.count % step
        let padding = isPadded && rest > 0 ? min(step - rest, limit - content.count) : 0
        return try ContentEncoding.encrypt(content, padding: padding, with: material, salt: salt, keyID: key.point)
    }
}
