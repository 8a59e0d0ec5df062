internal import Delivery
internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The channels of a tenant's messages, and the providers that deliver them.
    static let tenantChannels: [Endpoint] =
        [listChannels] + channelSettings.flatMap { endpoints(of: $0.channel, $0.settings) } + [getWebPushKey]

    private static let listChannels = Endpoint(
        operationID: "listChannels", method: .get, path: "/v1/tenant/channels", caller: .key(scope: .settings),
        work: .procedure(.read("api.list_channels", .publicURL)), summary: "List the tenant's channels",
        details: "Each channel delivers messages through one provider. The settings are returned without secrets.",
        area: "Tenant", answer: .list(of: .channel))

    private static func endpoints(of channel: String, _ settings: ChannelCalls) -> [Endpoint] {
        [
            Endpoint(
                operationID: settings.setID, method: .put, path: "/v1/tenant/channels/\(channel)",
                caller: .key(scope: .settings), work: .handler(DeliveryProviders.put(channel)),
                summary: settings.summary,
                details: settings.details, area: "Tenant", bound: Bound.administration, body: .object(settings.members),
                answer: .component(.channel)),
            Endpoint(
                operationID: settings.deleteID, method: .delete, path: "/v1/tenant/channels/\(channel)",
                caller: .key(scope: .settings),
                work: .procedure(.write("api.delete_channel", .fixed(channel), .now)),
                summary: "Delete the channel's credentials",
                details: "The channel sends nothing until new ones are set.", area: "Tenant", bound: Bound.ending,
                success: .noContent,
                problems: [.notFound]),
        ]
    }

    private static let getWebPushKey = Endpoint(
        operationID: "getWebPushKey", method: .get, path: "/v1/me/web-push-key", caller: .user,
        work: .procedure(.read("api.web_push_key")), summary: "Get the public key for Web Push",
        details: "A browser subscribes to pushes with this key (RFC 8292).", area: "Devices",
        answer: .component(.webPushKey), problems: [.notFound])

    /// The operation ids of the calls that set and delete a channel's provider, and what documents the first.
    private typealias ChannelCalls = (
        setID: String, deleteID: String, summary: String, details: String, members: [JSONSchema.Property]
    )

    /// The calls of each channel. ``ChannelSettings`` checks what a schema cannot express.
    private static let channelSettings: [(channel: String, settings: ChannelCalls)] =
        [
            (
                "apns",
                (
                    "setApnsChannel", "deleteApnsChannel",
                    "Set the key for Apple's push service",
                    "Kith sends pushes to Apple's devices with this key.",
                    [
                        .init("team_id", .string(.opaque, length: 10...10), required: true, example: "ABCDE12345"),
                        .init("key_id", .string(.opaque, length: 10...10), required: true, example: "KEY1234567"),
                        .init(
                            "topic", .string(.opaque, length: 1...155), required: true, "The app's bundle identifier.",
                            example: "com.example.app"),
                        .init(
                            "private_key", .string(.text, length: 1...2000), required: true,
                            "The content of the .p8 file, in PEM."),
                    ]
                )
            ),
            (
                "web_push",
                (
                    "setWebPushChannel", "deleteWebPushChannel",
                    "Set up pushes to browsers",
                    """
                    Kith sends pushes by Web Push (RFC 8030, RFC 8292). It makes the key pair and keeps it when the \
                    settings change.
                    """,
                    [
                        .init(
                            "subject", .string(.line, length: 1...300), required: true,
                            "A mailto: or https: URL at which push services can contact you.",
                            example: "mailto:push@example.com"),
                        .init(
                            "private_key", .string(.text, length: 1...2000),
                            """
                            A P-256 key in PEM, to keep a key pair that browsers have already subscribed with. Kith \
                            makes one by default.
                            """,
                            example: .leftOut),
                    ]
                )
            ),
            (
                "email",
                (
                    "setEmailChannel", "deleteEmailChannel",
                    "Set the SMTP server for e-mail",
                    "Kith sends e-mail through this server, always encrypted.",
                    [
                        .init("host", .string(.line, length: 1...253), required: true, example: "smtp.example.com"),
                        .init(
                            "port", .integer(1...65535), "The default is 587, or 465 with tls.", example: 587),
                        .init(
                            "encryption", .component(.emailEncryption),
                            "The default is tls on port 465, and starttls otherwise."),
                        .init("username", .string(.line, length: 1...200), example: "kith"),
                        .init("password", .string(.line, length: 1...1000), example: "correct horse"),
                        .init("from", .string(.email, length: 3...254), required: true, example: "care@example.com"),
                        .init("from_name", .string(.line, length: 1...100), example: "Acme"),
                        .init("reply_to", .string(.email, length: 3...254), example: .leftOut),
                        .init(
                            "unsubscribe_url", .string(.line, length: 1...2000),
                            "The URL for one-click unsubscribe (RFC 8058). {address} stands for the recipient.",
                            example: "https://example.com/unsubscribe?who={address}"),
                        .init("unsubscribe_address", .string(.email, length: 3...254), example: .leftOut),
                    ]
                )
            ),
            (
                "sms",
                (
                    "setSmsChannel", "deleteSmsChannel",
                    "Set the provider for text messages",
                    "Kith sends each text message as one POST to the provider.",
                    [
                        .init(
                            "url", .string(.line, length: 1...2000), required: true, "An https URL.",
                            example: "https://sms.example.com/messages"),
                        .init("format", .component(.smsBodyFormat), "The format of the body. The default is form."),
                        .init("from", .string(.line, length: 1...50), required: true, example: "+4915112345678"),
                        .init(
                            "to_field", .string(.line, length: 1...50),
                            "The field for the recipient. The default is to.", example: "to"),
                        .init(
                            "from_field", .string(.line, length: 1...50),
                            "The field for the sender. The default is from.", example: "from"
                        ),
                        .init(
                            "text_field", .string(.line, length: 1...50),
                            "The field for the text. The default is text.", example: "text"
                        ),
                        .init(
                            "id_field", .string(.line, length: 1...100),
                            "The path of the message's id in the provider's answer, with dots between names.",
                            example: "messages.0.id"),
                        .init(
                            "username", .string(.line, length: 1...200),
                            "Together with password, for basic authentication.",
                            example: .leftOut),
                        .init("password", .string(.line, length: 1...1000), example: .leftOut),
                        .init(
                            "token", .string(.line, length: 1...4000), "For bearer authentication.",
                            example: "secret-token"
                        ),
                        .init(
                            "inbound", .component(inboundSMS),
                            """
                            How the provider forwards what people answer. The answer has url, the address for the \
                            provider.
                            """,
                            example: .leftOut),
                    ]
                )
            ),
            (
                "voice",
                (
                    "setVoiceChannel", "deleteVoiceChannel",
                    "Set the provider for phone calls",
                    """
                    Kith starts each call by one POST to the provider, with the number, the text to read out, its \
                    language, and the address to which the provider reports the keys.
                    """,
                    [
                        .init(
                            "url", .string(.line, length: 1...2000), required: true, "An https URL.",
                            example: "https://voice.example.com/calls"),
                        .init("format", .component(.smsBodyFormat), "The format of the body. The default is form."),
                        .init("from", .string(.line, length: 1...50), required: true, example: "+4915112345678"),
                        .init("to_field", .string(.line, length: 1...50), "The default is to.", example: "to"),
                        .init("from_field", .string(.line, length: 1...50), "The default is from.", example: "from"),
                        .init("text_field", .string(.line, length: 1...50), "The default is text.", example: "text"),
                        .init(
                            "language_field", .string(.line, length: 1...50),
                            "The field for the language of the text (BCP 47). The default is language.",
                            example: "language"),
                        .init(
                            "callback_field", .string(.line, length: 1...50),
                            "The field for the address to which the provider reports. It needs inbound.",
                            example: .leftOut),
                        .init(
                            "id_field", .string(.line, length: 1...100),
                            "The path of the call's id in the provider's answer, with dots between names.",
                            example: "sid"),
                        .init(
                            "username", .string(.line, length: 1...200),
                            "Together with password, for basic authentication.", example: .leftOut),
                        .init("password", .string(.line, length: 1...1000), example: .leftOut),
                        .init(
                            "token", .string(.line, length: 1...4000), "For bearer authentication.",
                            example: "secret-token"),
                        .init(
                            "inbound", .component(inboundVoice),
                            """
                            How the provider's reports are signed and named. The answer has url, the address for \
                            them.
                            """,
                            example: .leftOut),
                    ]
                )
            ),
        ]

    private static let inboundSMS = JSONComponent(
        name: "InboundSMSSettings",
        schema: .object(
            inbound([
                ("from_field", "The number. The default is From."), ("text_field", "The text. The default is Body."),
                ("id_field", "The id of the message. The default is MessageSid."),
            ])))

    private static let inboundVoice = JSONComponent(
        name: "InboundVoiceSettings",
        schema: .object(
            inbound([
                ("key_field", "The key that was pressed. The default is Digits."),
                ("answered_by_field", "Who answered: human, or machine… . The default is AnsweredBy."),
                ("status_field", "The status of the call. The default is CallStatus."),
                ("id_field", "The id of the call. The default is CallSid."),
            ])))

    /// How what a provider forwards is signed and named. In JSON, a name may be a path with dots.
    private static func inbound(_ fields: [(String, String)]) -> [JSONSchema.Property] {
        [
            .init("signature", .component(.inboundSignature), required: true),
            .init(
                "secret", .string(.line, length: 16...1000), required: true,
                "The bearer token, the key of the HMAC, or Twilio's auth token. It is not shown again.",
                example: "a secret of 16 bytes or more"),
            .init(
                "signature_header", .string(.line, length: 1...100),
                "The default is Authorization, X-Signature or X-Twilio-Signature.", example: .leftOut),
            .init(
                "timestamp_header", .string(.line, length: 1...100),
                """
                With hmac_sha256: the header with the seconds since 1970. The code is then of the timestamp, a full \
                stop and the body, and is refused after 5 minutes.
                """,
                example: .leftOut),
        ]
            + fields.map { .init($0.0, .string(.line, length: 1...100), $0.1, example: .leftOut) }
    }
}
