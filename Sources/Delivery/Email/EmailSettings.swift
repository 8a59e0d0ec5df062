internal import Contacts
internal import NetworkAddresses

/// A tenant's SMTP server, and the headers that its e-mails have in common.
public struct EmailSettings: Sendable {
    /// How the connection is encrypted. There is no unencrypted option.
    enum Encryption: String, CaseIterable {
        /// Encrypted after the greeting (RFC 3207). A server that does not offer it gets no mail.
        case startTLS = "starttls"
        /// Encrypted from the first byte (RFC 8314).
        case tls
    }

    let host: String
    let port: Int
    let encryption: Encryption
    /// The user name and password of an account at the server.
    let credentials: (username: String, password: String)?
    let from: MailAddress
    let fromName: String?
    let replyTo: MailAddress?
    /// The URL for unsubscribing with one click (RFC 8058). `{address}` stands for the recipient's address.
    let unsubscribeURL: String?
    let unsubscribeAddress: MailAddress?

    /// The text in ``unsubscribeURL`` that is replaced with the recipient's address.
    static let placeholder = "{address}"

    /// Reads the settings.
    ///
    /// - Throws: ``ChannelSettingsError``.
    init(_ reader: inout SettingsReader) throws(ChannelSettingsError) {
        host = reader.requiredText("host", atMost: 253)
        if !host.isEmpty && !Self.isHost(host) { reader.refuse("host", "must be a host name or an address") }
        let port = reader.integer("port", in: 1...65535)
        encryption = reader.choice("encryption", port == 465 ? .tls : .startTLS)
        self.port = port ?? (encryption == .tls ? 465 : 587)
        let username = reader.text("username")
        let password = reader.text("password", atMost: 1000)
        if (username == nil) != (password == nil) {
            reader.refuse(username == nil ? "username" : "password", "is required: username and password come together")
        }
        credentials = if let username, let password { (username, password) } else { nil }
        reader.require("from")
        let from = reader.address("from")
        fromName = reader.text("from_name", atMost: 100)
        replyTo = reader.address("reply_to")
        unsubscribeURL = reader.url("unsubscribe_url")
        if let unsubscribeURL, !unsubscribeURL.contains(Self.placeholder) {
            reader.refuse("unsubscribe_url", "must contain \(Self.placeholder), where the recipient's address goes")
        }
        unsubscribeAddress = reader.address("unsubscribe_address")
        try reader.finish()
        guard let from else { throw ChannelSettingsError([.init(field: "from", message: "is required")]) }
        self.from = from
    }

    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        writer.field("host", host)
        writer.field("port", port)
        writer.field("encryption", encryption.rawValue)
        writer.field("username", credentials?.username)
        if withSecrets { writer.field("password", credentials?.password) }
        writer.field("from", from.text)
        writer.field("from_name", fromName)
        writer.field("reply_to", replyTo?.text)
        writer.field("unsubscribe_url", unsubscribeURL)
        writer.field("unsubscribe_address", unsubscribeAddress?.text)
    }

    /// The URL of the server. libcurl uses its path as the name in the EHLO greeting.
    var url: String {
        let literal = host.contains(":") ? "[\(host)]" : host
        return "\(encryption == .tls ? "smtps" : "smtp")://\(literal):\(port)/\(from.domain)"
    }

    private static func isHost(_ text: String) -> Bool {
        NetworkAddress(text) != nil
            || text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
