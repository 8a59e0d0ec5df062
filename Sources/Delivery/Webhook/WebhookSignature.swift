internal import Crypto
internal import Foundation

/// The fields by which the receiver of a webhook knows who sent it, and when (Standard Webhooks 1.0).
public enum WebhookSignature {
    /// The fields for `body`, sent as `id` at `seconds` since 1970: signed with each of `secrets`, so that one can be exchanged for
    /// another while both are good.
    public static func headers(
        id: String, seconds: Int64, body: [UInt8], secrets: [WebhookSecret]
    ) -> [(name: String, value: String)] {
        let signed = Array("\(id).\(seconds).".utf8) + body
        let signatures = secrets.map { "v1,\(Data(code(signed, $0)).base64EncodedString())" }
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    private static func code(_ signed: [UInt8], _ secret: WebhookSecret) -> [UInt8] {
        // HMAC fills a key up with zeros to 64 bytes by itself (RFC 2104 §2), so a key that we fill up is the same key; unfilled,
        // those under 32 bytes would be refused as too short for a token.
        let key = secret.bytes + [UInt8](repeating: 0, count: 64 - secret.bytes.count)
        guard let hmac = try? HMACKey(key) else { preconditionFailure("OpenSSL has no HMAC") }
        return hmac.authenticationCode(for: signed)
    }
}
