/// A tenant's settings and credentials for a provider. They are read from JSON, and checked as far as possible without
/// asking the provider.
public enum ChannelSettings: Sendable {
    /// Apple's push service, for iPhones and iPads.
    case apns(APNsSettings)
    /// The push services of browsers.
    case webPush(WebPushSettings)
    /// An SMTP server.
    case email(EmailSettings)
    /// A provider of text messages.
    case sms(SMSSettings)
    /// A provider of phone calls.
    case voice(VoiceSettings)

    /// The channels that have settings.
    public static let channels = ["apns", "web_push", "email", "sms", "voice"]

    /// Reads the settings of `channel`, which must be one of ``channels``.
    ///
    /// - Throws: ``ChannelSettingsError``.
    public init(channel: String, json: [UInt8]) throws(ChannelSettingsError) {
        var reader = try SettingsReader(json)
        switch channel {
        case "apns": self = .apns(try APNsSettings(&reader))
        case "web_push": self = .webPush(try WebPushSettings(&reader))
        case "email": self = .email(try EmailSettings(&reader))
        case "sms": self = .sms(try SMSSettings(&reader))
        case "voice": self = .voice(try VoiceSettings(&reader))
        default: throw ChannelSettingsError([.init(field: "channel", message: "is not a channel with settings")])
        }
    }

    /// Reads new settings of `channel`, which must be one of ``channels``. What was accepted by an older release and
    /// cannot work is refused here, while stored settings with it stay readable.
    ///
    /// - Throws: ``ChannelSettingsError``.
    public init(new channel: String, json: [UInt8]) throws(ChannelSettingsError) {
        try self.init(channel: channel, json: json)
        if case .voice(let settings) = self, settings.inbound != nil, settings.callbackField == nil {
            throw ChannelSettingsError([
                .init(
                    field: "callback_field",
                    message: "is required with inbound: without an address in the call, no key can come back")
            ])
        }
    }

    /// The name of the channel.
    public var channel: String {
        switch self {
        case .apns: "apns"
        case .webPush: "web_push"
        case .email: "email"
        case .sms: "sms"
        case .voice: "voice"
        }
    }

    /// How the provider forwards what people answer; nil if it does not, or if there are no answers on the channel.
    public var inbound: InboundSettings? {
        switch self {
        case .sms(let settings): settings.inbound
        case .voice(let settings): settings.inbound
        case .apns, .webPush, .email: nil
        }
    }

    /// The settings as JSON without secrets, which may be shown.
    public var summary: [UInt8] { written(withSecrets: false) }

    /// The complete settings as JSON, which must be sealed. ``init(channel:json:)`` reads it.
    public var json: [UInt8] { written(withSecrets: true) }

    /// These settings, with the parts of `previous` that must outlive a change, unless they are given anew.
    public func keeping(_ previous: ChannelSettings) -> ChannelSettings {
        if case .webPush(let settings) = self, case .webPush(let previous) = previous {
            return .webPush(settings.keeping(previous))
        }
        return self
    }

    /// Creates the channel that these settings describe. `apnsServer`, if given, replaces both of Apple's servers, for
    /// example `https://apns.example`.
    public func channel(over transfers: Transfers, apnsServer: String? = nil) -> any DeliveryChannel {
        switch self {
        case .apns(let settings): APNsChannel(settings, over: transfers, server: apnsServer)
        case .webPush(let settings): WebPushChannel(settings, over: transfers)
        case .email(let settings): EmailChannel(settings: settings, transfers: transfers)
        case .sms(let settings): SMSChannel(settings: settings, transfers: transfers)
        case .voice(let settings): VoiceChannel(settings: settings, transfers: transfers)
        }
    }

    private func written(withSecrets: Bool) -> [UInt8] {
        var writer = SettingsWriter()
        switch self {
        case .apns(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        case .webPush(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        case .email(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        case .sms(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        case .voice(let settings): settings.write(to: &writer, withSecrets: withSecrets)
        }
        return writer.json
    }
}
