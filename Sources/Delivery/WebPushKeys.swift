/// The keys of a browser's push subscription (RFC 8291 §2) in base64url, as the app registered them.
public struct WebPushKeys: Sendable, Equatable {
    /// The browser's public key: an uncompressed point on P-256.
    public let p256dh: String
    /// The authentication secret.
    public let auth: String

    /// Creates keys from their parts.
    public init(p256dh: String, auth: String) {
        self.p256dh = p256dh
        self.auth = auth
    }
}
