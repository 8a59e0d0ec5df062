internal import Crypto

/// The keys of a browser's push subscription (RFC 8291 §2) in base64url, as the app registered them.
public struct WebPushKeys: Sendable, Equatable {
    /// A key with which nothing could be encrypted for the browser.
    public struct Refusal: Error {
        /// The key at fault: `p256dh` or `auth`.
        public let member: String
        /// The requirement, worded to follow the name of the key.
        public let message: String
    }

    /// The browser's public key: an uncompressed point on P-256.
    public let p256dh: String
    /// The authentication secret.
    public let auth: String

    /// Creates keys from their parts.
    public init(p256dh: String, auth: String) {
        self.p256dh = p256dh
        self.auth = auth
    }

    /// These keys in base64url without padding, if messages can be encrypted with them.
    ///
    /// - Throws: ``Refusal`` unless the public key is an uncompressed point on P-256 and the secret has 16 bytes.
    public func checked() throws(Refusal) -> WebPushKeys {
        guard let point = Self.bytes(p256dh), point.count == 65, point[0] == 4,
            (try? PublicKey(p256X: Array(point[1..<33]), y: Array(point[33...]))) != nil
        else {
            throw Refusal(member: "p256dh", message: "must be an uncompressed point of P-256, 65 bytes in base64url")
        }
        guard let secret = Self.bytes(auth), secret.count == 16 else {
            throw Refusal(member: "auth", message: "must be 16 bytes in base64url")
        }
        return WebPushKeys(p256dh: Base64URL.encode(point), auth: Base64URL.encode(secret))
    }

    /// Decodes a key. Some libraries write it in the other base64 alphabet, and with padding.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.replacing("+", with: "-").replacing("/", with: "_")
        let padding = digits.reversed().prefix { $0 == "=" }.count
        guard padding == 0 || padding <= 2 && digits.utf8.count.isMultiple(of: 4) else { return nil }
        return Base64URL.decode(digits.dropLast(padding))
    }
}
