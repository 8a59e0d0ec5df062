public import Crypto
internal import Foundation

/// The secrets that sign the requests to one endpoint: the newest, and the one before it for as long as it is still
/// valid. The overlap gives the receiver time to change over.
public struct WebhookSecrets: Sendable, Equatable {
    /// How long a secret stays valid after it is replaced, in microseconds.
    public static let overlap: Int64 = 24 * 3600 * 1_000_000

    /// The sealed secrets cannot be opened, or are malformed.
    public struct Unreadable: Error, CustomStringConvertible {
        /// The reason, for an operator.
        public var description: String { "the secrets of a webhook do not open with this master key" }
    }

    private struct Secret: Codable, Sendable, Equatable {
        /// The text of a ``WebhookSecret``.
        let secret: String
        /// The end of its validity, in microseconds since 1970; nil for the newest.
        let until: Int64?
    }

    private let secrets: [Secret]

    /// Creates a single new secret.
    public init() {
        secrets = [Self.new()]
    }

    private init(_ secrets: [Secret]) {
        self.secrets = secrets
    }

    /// Opens the secrets in `sealed` for the endpoint `id`.
    ///
    /// - Throws: ``Unreadable``.
    public init(_ sealed: [UInt8], tenant: Int, id: String, with masterKey: MasterKey) throws(Unreadable) {
        guard let json = try? masterKey.open(sealed, for: Self.context(tenant, id)),
            let secrets = try? JSONDecoder().decode([Secret].self, from: Data(json)), !secrets.isEmpty
        else { throw Unreadable() }
        self.secrets = secrets
    }

    /// The text of the newest secret.
    public var newest: String { secrets[0].secret }

    /// The secrets that are valid at `now` (microseconds since 1970), the newest first.
    public func valid(at now: Int64) -> [WebhookSecret] {
        secrets.filter { $0.until.map { $0 > now } ?? true }.compactMap { WebhookSecret($0.secret) }
    }

    /// Returns a new secret together with the current one, which stays valid for ``overlap``. An older one ends now,
    /// because a request with more than two signatures helps nobody.
    public func rotated(at now: Int64) -> WebhookSecrets {
        WebhookSecrets([Self.new(), Secret(secret: newest, until: now + Self.overlap)])
    }

    /// Seals the secrets for the row of the endpoint `id`.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public func sealed(tenant: Int, id: String, with masterKey: MasterKey) throws(CryptoError) -> [UInt8] {
        guard let json = try? JSONEncoder().encode(secrets) else { preconditionFailure("texts and numbers are JSON") }
        return try masterKey.seal(Array(json), for: Self.context(tenant, id))
    }

    /// The context that the seal is bound to.
    public static func context(_ tenant: Int, _ id: String) -> String {
        "webhooks/\(tenant)/\(id)"
    }

    private static func new() -> Secret {
        Secret(secret: WebhookSecret.generate().text, until: nil)
    }
}
