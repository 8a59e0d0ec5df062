/// Something that leaves Kith for one address.
public struct Message: Sendable, Equatable {
    /// The same for every attempt: a channel that knows idempotency keys gets it as one, because a message may be sent twice.
    public let id: String
    /// How it goes out: `apns`, `web_push`, `email` or `sms`.
    public let channel: String
    /// What it is for: `notification`, `invitation`, or the code that it carries.
    public let purpose: String
    /// E.164, an e-mail address, a device's token, or the address of a browser's push service.
    public let address: String
    /// Of an e-mail; the title of a push.
    public let subject: String?
    /// What the person reads.
    public var text: String
    /// What an app is to know beside the text: a JSON object.
    public let data: [UInt8]?
    /// A later push with the same id takes this one's place on the screen; at most 64 bytes.
    public let collapseID: String?
    /// Whether it is to wake the person.
    public let isUrgent: Bool
    /// When it is of no use any more, in microseconds since 1970.
    public let expiresAt: Int64?
    /// What a browser gave for the encryption of its pushes.
    public let webPushKeys: WebPushKeys?
    /// Which of Apple's environments a device's token is of: `production` or `sandbox`.
    public let environment: String?

    /// A message from its parts.
    public init(
        id: String, channel: String, purpose: String, address: String, subject: String?, text: String,
        data: [UInt8]? = nil, collapseID: String? = nil, isUrgent: Bool = true, expiresAt: Int64? = nil,
        webPushKeys: WebPushKeys? = nil, environment: String? = nil
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
    }

    /// The host that its user's device has named for it: the origin of a push service. Nil where a message goes by the tenant's provider.
    public var hostOfUser: String? {
        channel == "web_push" ? WebPushEndpoint(address)?.origin : nil
    }
}
