/// What the other side answered.
public struct TransferAnswer: Sendable {
    /// The status of HTTP, or the reply code of SMTP.
    public let status: Int
    /// The fields of the answer's head by their names in lower case; the values of one name are joined by commas.
    public let headers: [String: String]
    /// The body, as far as ``Transfer/maximumAnswer`` goes.
    public let body: [UInt8]
    /// What an SMTP server answered last.
    public let reply: MailReply?

    /// An answer from its parts.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], reply: MailReply? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reply = reply
    }
}
