public import Foundation

/// The provider for a tenant's messages on one channel.
public struct ProviderChannel: Codable, Sendable {
    /// The channel: apns, web_push, email, sms or voice.
    public var channel: String
    /// The settings, without secrets.
    public var settings: [String: Setting]
    /// When the settings were first set.
    public var createdAt: Date
    /// When the settings were last set.
    public var updatedAt: Date
    /// When the provider last accepted a message or refused the credentials; nil if neither has happened yet.
    public var checkedAt: Date?
    /// Why the provider refused the credentials; nil if it did not.
    public var error: String?

    private enum CodingKeys: String, CodingKey {
        case channel, settings, error
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case checkedAt = "checked_at"
    }

    /// The value of a setting.
    public enum Setting: Codable, Sendable, Hashable {
        /// A text, such as a host name.
        case text(String)
        /// A number, such as a port.
        case number(Int)
        /// Settings of their own, such as how a provider forwards answers.
        case group([String: String])

        /// Decodes any kind.
        public init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else if let group = try? value.decode([String: String].self) {
                self = .group(group)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        /// Encodes the value in the form in which it was decoded.
        public func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .text(let text): try value.encode(text)
            case .number(let number): try value.encode(number)
            case .group(let group): try value.encode(group)
            }
        }
    }
}

/// The public key with which a browser subscribes to a tenant's pushes.
public struct WebPushKey: Codable, Sendable {
    /// The `applicationServerKey` of `PushManager.subscribe()`: base64url.
    public var publicKey: String

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
    }
}
