public import Crypto
internal import Foundation

/// The secrets with which the requests to one endpoint are signed: the newest, and those that it has replaced for as long as they are
/// still valid, so that the other side can change over at its leisure.
public struct WebhookSecrets: Sendable, Equatable {
    /// How long a secret is valid after another has replaced it, in microseconds.
    public static let overlap: Int64 = 24 * 3600 * 1_000_000

    /// Secrets that do not open, or are not what was sealed.
    public struct Unreadable: Error, CustomStringConvertible {
        /// The reason, for an operator.
        public var description: String { "the secrets of a webhook do not open with this master key" }
    }

    private struct Secret: Codable, Sendable, Equatable {
        /// The text of a ``WebhookSecret``.
        let secret: String
        /// Until when it is valid, in microseconds since 1970; nil for the newest.
        let until: Int64?
    }

    private let secrets: [Secret]

    /// A new secret alone.
    public init() {
        secrets = [Self.new()]
    }

    private init(_ secrets: [Secret]) {
        self.secrets = secrets
    }

    /// The secrets that rest as `sealed` for the endpoint `id`.
    ///
    /// - Throws: ``Unreadable``.
    public init(_ sealed: [UInt8], tenant: Int, id: String, with masterKey: MasterKey) throws(Unreadable) {
        guard let json = try? masterKey.open(sealed, for: Self.context(tenant, id)),
            let secrets = try? JSONDecoder().decode([Secret].self, from: Data(json)), !secrets.isEmpty
        else { throw Unreadable() }
        self.secrets = secrets
    }

    /// The one that was made last.
    public var newest: String { secrets[0].secret }

    /// Those that are valid at `now` (microseconds since 1970), the newest first.
    public func valid(at now: Int64) -> [WebhookSecret] {
        secrets.filter { $0.until.map { $0 > now } ?? true }.compactMap { WebhookSecret($0.secret) }
    }

    /// With a new one, beside which what was the newest is valid for ``overlap``; what one before it had left of that has ended: more
    /// than two signatures serve nobody.
    public func rotated(at now: Int64) -> WebhookSecrets {
        WebhookSecrets([Self.new(), Secret(secret: newest, until: now + Self.overlap)])
    }

    /// How they rest in the row of the endpoint `id`.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public func sealed(tenant: Int, id: String, with masterKey: MasterKey) throws(CryptoError) -> [UInt8] {
        guard let json = try? JSONEncoder().encode(secrets) else { preconditionFailure("texts and numbers are JSON") }
        return try masterKey.seal(Array(json), for: Self.context(tenant, id))
    }

    /// What they are bound to.
    public static func context(_ tenant: Int, _ id: String) -> String {
        "webhooks/\(tenant)/\(id)"
    }

    private static func new() -> Secret {
        Secret(secret: WebhookSecret.generate().text, until: nil)
    }
}
