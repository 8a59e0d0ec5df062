/// An outgoing message to one address.
public struct Message: Sendable, Equatable {
    /// The id of the message, the same for every attempt. A channel sends it as an idempotency key where the provider
    /// takes one, because a message may be sent twice.
    public let id: String
    /// The channel: `apns`, `web_push`, `email`, `sms` or `voice`.
    public let channel: String
    /// The purpose: `notification`, `invitation`, or the kind of code that the message carries.
    public let purpose: String
    /// The recipient's address: a phone number (E.164), an e-mail address, a device's token, or the URL of a browser's
    /// push service.
    public let address: String
    /// The subject of an e-mail, or the title of a push.
    public let subject: String?
    /// The text that the person reads.
    public var text: String
    /// Data for the app, beside the text: a JSON object.
    public let data: [UInt8]?
    /// The collapse id, of at most 64 bytes. A later push with the same id replaces this one on the screen.
    public let collapseID: String?
    /// Whether the message may wake the person.
    public let isUrgent: Bool
    /// The time when the message is no longer of use, in microseconds since 1970.
    public let expiresAt: Int64?
    /// The browser's keys for the encryption of its pushes.
    public let webPushKeys: WebPushKeys?
    /// Apple's environment that the device's token belongs to: `production` or `sandbox`.
    public let environment: String?

    /// The language of the text (BCP 47), for a call that reads it out.
    public let language: String?
    /// The address to which the provider of a call reports what was pressed.
    public let callback: String?

    /// Creates a message from its parts.
    public init(
        id: String, channel: String, purpose: String, address: String, subject: String?, text: String,
        data: [UInt8]? = nil, collapseID: String? = nil, isUrgent: Bool = true, expiresAt: Int64? = nil,
        webPushKeys: WebPushKeys? = nil, environment: String? = nil,
        language: String? = nil, callback: String? = nil
    ) {
        self.id = id
        self.channel = channel
        self.purpose = purpose
        self.address = address
        self.subject = subject
        self.text = text
        self.data = data
        self.collapseID = collapseID
        self.isUrgent = isUrgent
        self.expiresAt = expiresAt
        self.webPushKeys = webPushKeys
        self.environment = environment
        self.language = language
        self.callback = callback
    }

    /// The host that the user's device chose: the origin of its push service. Nil when the message goes through the
    /// tenant's provider.
    public var userChosenHost: String? {
        channel == "web_push" ? WebPushEndpoint(address)?.origin : nil
    }
}
