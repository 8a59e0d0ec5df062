public import Foundation

/// By which provider a tenant's messages leave on a channel.
public struct ProviderChannel: Codable, Sendable {
    /// apns, web_push, email or sms.
    public var channel: String
    /// As they were set, without secrets.
    public var settings: [String: Setting]
    /// When they were set first.
    public var createdAt: Date
    /// When they were set last.
    public var updatedAt: Date
    /// When the provider last took a message, or refused the credentials; nil when neither has happened yet.
    public var checkedAt: Date?
    /// Why it refused them; nil when it did not.
    public var error: String?

    private enum CodingKeys: String, CodingKey {
        case channel, settings, error
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case checkedAt = "checked_at"
    }

    /// The value of a setting.
    public enum Setting: Codable, Sendable, Hashable {
        /// A text, such as the name of a host.
        case text(String)
        /// A number, such as a port.
        case number(Int)

        /// Reads either.
        public init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        /// Writes it as it was read.
        public func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .text(let text): try value.encode(text)
            case .number(let number): try value.encode(number)
            }
        }
    }
}

/// The key to which a browser subscribes for a tenant's pushes.
public struct WebPushKey: Codable, Sendable {
    /// The `applicationServerKey` of `PushManager.subscribe()`: base64url.
    public var publicKey: String

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
    }
}
