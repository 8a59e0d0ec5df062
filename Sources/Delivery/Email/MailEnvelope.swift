/// The envelope of a mail: what an SMTP server is told before its content (RFC 5321 §3.3).
public struct MailEnvelope: Sendable {
    /// The sender. It is told when the mail cannot be delivered.
    public let from: MailAddress
    /// The recipient.
    public let to: MailAddress
    /// The user name and password of an account at the server.
    public let credentials: (username: String, password: String)?

    /// Creates an envelope from its parts.
    public init(from: MailAddress, to: MailAddress, credentials: (username: String, password: String)?) {
        self.from = from
        self.to = to
        self.credentials = credentials
    }
}
