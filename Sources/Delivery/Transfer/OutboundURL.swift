/// An `https` URL to which Kith sends: that of a webhook, a push subscription or a provider. It is checked when it is
/// given, because one that cannot be sent to would fail only later, when nobody is there to mend it. Its destination is
/// checked each time it is used, because the meaning of a name can change.
public struct OutboundURL: Sendable {
    /// The URL cannot be sent to.
    public struct Refusal: Error {
        /// The requirement, worded to follow the name of a field.
        public let message: String
    }

    /// The URL, with its scheme in lower case.
    public let text: String
    /// The origin, as a browser writes it (RFC 6454 §6.2).
    let origin: String

    private static let scheme = "https://"

    /// Reads `text`, which may have at most `limit` bytes.
    ///
    /// - Throws: ``Refusal``.
    public init(_ text: String, atMost limit: Int = 2000) throws(Refusal) {
        guard text.utf8.count <= limit else { throw Refusal(message: "must have at most \(limit) characters") }
        let rest = text.dropFirst(Self.scheme.count)
        // libcurl also reads URLs with one slash or three, which other programs read differently.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            text.prefix(Self.scheme.count).lowercased() == Self.scheme, let first = rest.first, first != "/",
            first != "\\"
        else { throw Refusal(message: "must be a URL that begins with https:// and has no spaces") }
        guard Self.hasPort(of: rest) else { throw Refusal(message: "must have a port from 1 to 65535, or none") }
        let url = Self.scheme + rest
        guard let parts = URLParts(url), parts.scheme == "https", !parts.host.isEmpty else {
            throw Refusal(message: "must be a URL that begins with https:// and names a host")
        }
        // An empty user is one too.
        guard !parts.hasUser, !rest.prefix(while: { !"/?#".contains($0) }).contains("@") else {
            throw Refusal(message: "must not hold a user or a password")
        }
        guard !parts.hasFragment else { throw Refusal(message: "must not hold a fragment") }
        self.text = url
        origin = Self.scheme + parts.host.lowercased() + (parts.port.flatMap { $0 == "443" ? nil : ":\($0)" } ?? "")
    }

    /// Whether the port in `rest`, the URL after its scheme, can be connected to. libcurl takes port 0.
    private static func hasPort(of rest: Substring) -> Bool {
        let authority = rest.prefix { !"/?#".contains($0) }
        let afterBracket = authority.lastIndex(of: "]").map { authority[authority.index(after: $0)...] } ?? authority
        guard let colon = afterBracket.lastIndex(of: ":") else { return true }
        let digits = afterBracket[afterBracket.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return true }
        return digits.isEmpty || Int(digits).map { (1...65535).contains($0) } ?? false
    }
}
