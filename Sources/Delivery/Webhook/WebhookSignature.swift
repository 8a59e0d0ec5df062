internal import Crypto
internal import Foundation

/// The header fields that tell the receiver of a webhook who sent it, and when (Standard Webhooks 1.0).
public enum WebhookSignature {
    /// Returns the header fields for `body`, sent as `id` at `seconds` since 1970. Each of `secrets` signs it, so that
    /// a secret can be replaced while both are valid.
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
        // HMAC pads a key with zeros to 64 bytes (RFC 2104 §2), so padding it here gives the same key. Without the
        // padding, `HMACKey` would refuse keys under 32 bytes as too short for a token.
        let key = secret.bytes + [UInt8](repeating: 0, count: 64 - secret.bytes.count)
        guard let hmac = try? HMACKey(key) else { preconditionFailure("OpenSSL has no HMAC") }
        return hmac.authenticationCode(for: signed)
    }
}
