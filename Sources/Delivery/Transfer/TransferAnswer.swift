/// The answer to a transfer.
public struct TransferAnswer: Sendable {
    /// The HTTP status, or the SMTP reply code.
    public let status: Int
    /// The header fields, by their names in lower case. The values of a repeated field are joined with commas.
    public let headers: [String: String]
    /// The delay that the other side asks for in `Retry-After` (RFC 9110 §10.2.3); nil when it asks for none.
    public let retryAfter: Duration?
    /// The body, up to ``Transfer/maximumAnswer`` bytes.
    public let body: [UInt8]
    /// The last reply of an SMTP server.
    public let reply: MailReply?

    /// Creates an answer from its parts.
    public init(
        status: Int, headers: [String: String] = [:], retryAfter: Duration? = nil, body: [UInt8] = [],
        reply: MailReply? = nil
    ) {
        self.status = status
        self.headers = headers
        self.retryAfter = retryAfter
        self.body = body
        self.reply = reply
    }
}
