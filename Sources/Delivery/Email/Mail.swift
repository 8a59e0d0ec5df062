public import Contacts

/// A mail and its envelope, which is what an SMTP server is told before the mail (RFC 5321 §3.3).
public struct Mail: Sendable {
    /// One form of the content. A mail program shows the last one that it can (RFC 2046 §5.1.4).
    public struct Form: Sendable {
        /// The media type, with its parameters.
        public let type: String
        /// The content.
        public let text: String

        /// Creates a form from its parts.
        public init(type: String, text: String) {
            self.type = type
            self.text = text
        }
    }

    /// The sender. It is told when the mail cannot be delivered.
    public let from: MailAddress
    /// The recipient.
    public let to: MailAddress
    /// The user name and password of an account at the server.
    public let credentials: (username: String, password: String)?
    /// The header fields, such as `Subject: Hello`, each folded where it is long. They are sent as they are.
    public let headers: [String]
    /// The forms of the content, the plainest first.
    public let forms: [Form]

    /// Creates a mail from its parts.
    public init(
        from: MailAddress, to: MailAddress, credentials: (username: String, password: String)?, headers: [String],
        forms: [Form]
    ) {
        self.from = from
        self.to = to
        self.credentials = credentials
        self.headers = headers
        self.forms = forms
    }
}
