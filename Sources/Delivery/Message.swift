/// Something that leaves Kith for one address.
public struct Message: Sendable, Equatable {
    /// The same for every attempt: a channel that knows idempotency keys gets it as one, because a message may be sent twice.
    public let id: String
    /// How it goes out: `sms` or `email`.
    public let channel: String
    /// E.164, or an e-mail address.
    public let address: String
    /// Of an e-mail.
    public let subject: String?
    /// What the person reads.
    public let text: String

    /// A message from its parts.
    public init(id: String, channel: String, address: String, subject: String?, text: String) {
        self.id = id
        self.channel = channel
        self.address = address
        self.subject = subject
        self.text = text
    }
}
