/// The keys of a browser's push subscription (RFC 8291 §2), as its app registered them: base64url.
public struct WebPushKeys: Sendable, Equatable {
    /// Its public key on P-256, uncompressed.
    public let p256dh: String
    /// Its authentication secret.
    public let auth: String

    /// A pair from its parts.
    public init(p256dh: String, auth: String) {
        self.p256dh = p256dh
        self.auth = auth
    }
}
