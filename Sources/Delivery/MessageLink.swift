public import Crypto

/// The token of a link in a message, by which its reader acts without a sign-in (J01, K11): the tenant's number, a
/// hyphen, and 96 bits in 16 characters, short enough for a text message of one segment.
///
/// It is an authentication code of its purpose and of the contact to which the message goes, under a key derived from
/// the master key. The database has only its hash. So a message that is sent again has the same link, and no secret
/// waits in the outbox.
public struct MessageLink: Sendable, Hashable {
    /// What a link is for. Ids are UUIDs in lower case.
    public enum Purpose: Sendable, Hashable {
        /// A sender checks in, for a local date.
        case checkIn(user: String, date: String)
        /// A receiver acts in an alarm.
        case alarm(String, receiver: String)

        /// The place of the link in a message's text.
        public var placeholder: String {
            switch self {
            case .checkIn: "{link}"
            case .alarm(let alarm, _): "{link:\(alarm)}"
            }
        }

        /// The path under which the server has the page, up to the token.
        public var path: String {
            switch self {
            case .checkIn: "/c/"
            case .alarm: "/a/"
            }
        }

        fileprivate var key: String {
            switch self {
            case .checkIn: "check_in_links"
            case .alarm: "alarm_links"
            }
        }

        fileprivate var subject: String {
            switch self {
            case .checkIn(let user, let date): "\(user)/\(date)"
            case .alarm(let alarm, let receiver): "\(alarm)/\(receiver)"
            }
        }
    }

    /// How many bytes of the code the token has.
    private static let length = 12

    /// The tenant's number.
    public let tenantID: Int
    /// The token as it stands in the link.
    public let token: String

    /// The SHA-256 by which the database finds the link.
    public var hash: [UInt8] { sha256(token.utf8) }

    /// Makes the link of a tenant for a purpose, in a message to the phone or e-mail `address`. Whoever has another
    /// contact since gets another link.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` if no key can be derived.
    public init(
        tenant: Int, _ purpose: Purpose, address: String, _ masterKey: MasterKey
    ) throws(CryptoError) {
        let code = try masterKey.derived(for: purpose.key)[0]
            .authenticationCode(for: "\(tenant)/\(purpose.subject)/\(address)".utf8)
        tenantID = tenant
        token = "\(tenant)-\(Base64URL.encode(Array(code.prefix(Self.length))))"
    }

    /// Reads a token; nil if `text` cannot be one, so that no such request reaches the database.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...10).contains(parts[0].count), parts[0].first != UInt8(ascii: "0"),
            parts[0].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let tenantID = Int32(String(parts[0]) ?? ""), parts[1].count == 16,
            parts[1].allSatisfy(Self.isOfToken)
        else { return nil }
        self.tenantID = Int(tenantID)
        token = text
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
