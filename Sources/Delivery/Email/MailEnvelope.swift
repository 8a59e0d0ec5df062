/// What an SMTP server is told before a mail (RFC 5321 §3.3).
public struct MailEnvelope: Sendable {
    /// Who gets to know when it cannot be delivered.
    public let from: MailAddress
    /// Who gets it.
    public let to: MailAddress
    /// The name of an account with the server, and its password.
    public let credentials: (username: String, password: String)?

    /// An envelope from its parts.
    public init(from: MailAddress, to: MailAddress, credentials: (username: String, password: String)?) {
        self.from = from
        self.to = to
        self.credentials = credentials
    }
}
