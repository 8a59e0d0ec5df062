/// The answer to a transfer.
public struct TransferAnswer: Sendable {
    /// The HTTP status, or the SMTP reply code.
    public let status: Int
    /// The header fields, by their names in lower case. The values of a repeated field are joined with commas.
    public let headers: [String: String]
    /// The body, up to ``Transfer/maximumAnswer`` bytes.
    public let body: [UInt8]
    /// The last reply of an SMTP server.
    public let reply: MailReply?

    /// Creates an answer from its parts.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], reply: MailReply? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reply = reply
    }
}
