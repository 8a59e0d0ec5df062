/// What a tenant has with a provider: how to reach it, and the credentials for it. Made from JSON and checked as far as that can be
/// done without asking the provider.
public enum ChannelSettings: Sendable {
    /// An SMTP server.
    case email(EmailSettings)
    /// A provider of text messages.
    case sms(SMSSettings)

    /// The channels that have settings.
    public static let channels = ["email", "sms"]

    /// Reads the settings of `channel`, one of ``channels``.
    ///
    /// - Throws: ``ChannelSettingsError``.
    public init(channel: String, json: [UInt8]) throws(ChannelSettingsError) {
        var reader = try SettingsReader(json)
        switch channel {
        case "email": self = .email(try EmailSettings(&reader))
        case "sms": self = .sms(try SMSSettings(&reader))
        default: throw ChannelSettingsError([.init(field: "channel", message: "is none that has settings")])
        }
    }

    /// The name of the channel.
    public var channel: String {
        switch self {
        case .email: "email"
        case .sms: "sms"
        }
    }

    /// What may be shown: JSON without secrets.
    public var summary: [UInt8] { written(withSecrets: false) }

    /// All of it as JSON, to be sealed; ``init(channel:json:)`` reads it again.
    public var json: [UInt8] { written(withSecrets: true) }

    /// The way out that these settings describe.
    public func channel(over transfers: Transfers) -> any DeliveryChannel {
        switch self {
        case .email(let settings): EmailChannel(settings: settings, transfers: transfers)
        case .sms(let settings): SMSChannel(settings: settings, transfers: transfers)
        }
    }

    private func written(withSecrets: Bool) -> [UInt8] {
        var writer = SettingsWriter()
        switch self {
        case .email(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        case .sms(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        }
        return writer.json
    }
}
