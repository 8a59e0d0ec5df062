public import Foundation

/// A link that opens the app: to an invitation, or to the entry of a code.
///
/// Anybody can write a link, so only the token and the code are taken from it. Ask the server what they are good for:
/// `GET /v1/invitations/{token}` needs no sign-in.
public enum KithLink: Sendable, Hashable {
    /// An invitation to a vault, or an offer to take a vault over.
    case invitation(token: String)
    /// A code to connect by. The app opens its connection screen with the code filled in.
    case connect(code: String?)
    /// What a notification is about, from an e-mail or a text message: its type, such as `emergency_request`, and the
    /// id of the thing. Show what the server says of it to whoever is signed in.
    case notification(type: String, id: UUID)

    /// Reads a link that the system has given to the app; nil if it is none of Kith's.
    ///
    /// These forms are read:
    /// - `khandoba://nominee/invite?token=…` and `khandoba://transfer/invite?token=…`
    /// - `https://link.example.com/i/{token}`
    /// - `https://link.example.com/join?code=…`
    /// - `https://link.example.com/open?type=…&id=…`
    ///
    /// - Parameters:
    ///   - url: The link. Names of schemes and hosts may be written in capitals.
    ///   - scheme: The scheme of the tenant's app, such as `khandoba`.
    ///   - hosts: The hosts whose `https` links the app opens. They are those of the app's associated domains.
    public init?(_ url: URL, scheme: String, hosts: Set<String> = []) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        switch parts.scheme?.lowercased() {
        case "https":
            guard let host = parts.host?.lowercased(), hosts.contains(where: { $0.lowercased() == host }) else {
                return nil
            }
            self.init(path: parts.path.split(separator: "/").map(String.init), parts)
        case scheme.lowercased():
            guard ["nominee", "transfer"].contains(parts.host?.lowercased()),
                parts.path == "/invite" || parts.path == "/invite/", let token = Self.token(parts.item("token"))
            else { return nil }
            self = .invitation(token: token)
        default: return nil
        }
    }

    private init?(path: [String], _ parts: URLComponents) {
        switch path.first {
        case "i":
            guard path.count == 2, let token = Self.token(path[1]) else { return nil }
            self = .invitation(token: token)
        case "join":
            guard path.count == 1 else { return nil }
            // A code that is none is left out rather than shown: the screen opens empty.
            self = .connect(code: parts.item("code").flatMap { Self.isCode($0) ? $0 : nil })
        case "open":
            guard path.count == 1, let type = parts.item("type"), Self.isType(type),
                let id = parts.item("id").flatMap(UUID.init)
            else { return nil }
            self = .notification(type: type, id: id)
        default: return nil
        }
    }

    private static func isType(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// The link that opens an invitation in the tenant's app, as the server writes it.
    ///
    /// The vault's name is for the eyes of the person only: no app trusts it.
    public static func invitation(token: String, vault name: String, scheme: String) -> URL? {
        guard let token = Self.token(token) else { return nil }
        let text = "\(scheme)://nominee/invite?token=\(token)&vault=\(percentEncoded(name))&status=accepted"
        return URL(string: text)
    }

    private static func token(_ text: String?) -> String? {
        text.flatMap { UUID(uuidString: $0) }?.uuidString.lowercased()
    }

    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// A text in the query of a link: all but the unreserved characters of RFC 3986, section 2.3, are encoded.
    static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let isPlain = UnicodeScalar(byte).isASCII && (byte.isLetterOrDigit || "-._~".utf8.contains(byte))
            if isPlain {
                encoded.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

extension URLComponents {
    /// The value of the only parameter with this name. A link that says it twice says nothing.
    fileprivate func item(_ name: String) -> String? {
        let found = (queryItems ?? []).filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
