internal import Crypto

/// The encryption of a push message, which the browser opens and the push service cannot (RFC 8291).
enum WebPushEncryption {
    /// The longest content: a push service must take a message of 4096 bytes (RFC 8291 §4), of which the header has 65 more than that of
    /// RFC 8188, the sender's key.
    static let limit = 4096 - ContentEncoding.overhead - 65

    /// Contents are padded to a multiple of so many bytes: their length would tell the push service what they say.
    private static let step = 128

    /// The message with `content` for a subscription, or nil when the subscription's keys are none. Both the key and the salt are to be new
    /// for each message.
    static func encrypt(
        _ content: [UInt8], for keys: WebPushKeys, key: PrivateKey, salt: [UInt8], isPadded: Bool = true
    ) throws(CryptoError) -> [UInt8]? {
        guard let point = bytes(keys.p256dh), let authentication = bytes(keys.auth), !authentication.isEmpty else {
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

    /// The bytes of a subscription's key, which some libraries write in the other alphabet, and with padding.
    private static func bytes(_ text: String) -> [UInt8]? {
        Base64URL.decode(
            text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    }
}
