internal import Crypto
internal import Foundation

/// The secret that authenticates a webhook to the tenant's server (Standard Webhooks, "Symmetric"): 24 to 64 bytes,
/// written as `whsec_` and base64.
public struct WebhookSecret: Sendable, Equatable {
    private static let prefix = "whsec_"

    let bytes: [UInt8]

    /// Generates a secret of 32 random bytes.
    public static func generate() -> WebhookSecret {
        WebhookSecret(bytes: randomBytes(32))
    }

    /// Reads the text of a secret; nil when it is not one.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            24...64 ~= data.count
        else { return nil }
        bytes = Array(data)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The text that the tenant is shown once.
    public var text: String { Self.prefix + Data(bytes).base64EncodedString() }
}
