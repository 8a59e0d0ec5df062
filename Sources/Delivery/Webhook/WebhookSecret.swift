internal import Crypto
internal import Foundation

/// What a tenant's server knows a webhook of ours by (Standard Webhooks, "Symmetric"): 24 to 64 bytes, in text `whsec_` and base64.
public struct WebhookSecret: Sendable, Equatable {
    private static let prefix = "whsec_"

    let bytes: [UInt8]

    /// A new one of 32 random bytes.
    public static func generate() -> WebhookSecret {
        WebhookSecret(bytes: randomBytes(32))
    }

    /// Reads a secret's text; nil when it is none.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            24...64 ~= data.count
        else { return nil }
        bytes = Array(data)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// What the tenant is shown once.
    public var text: String { Self.prefix + Data(bytes).base64EncodedString() }
}
