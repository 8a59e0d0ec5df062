/// The key of one value that belongs to a person, such as their care card or their place.
///
/// The value is sealed by AES-256-GCM under a key of its own, which is stored sealed under the master key. Both are
/// bound to the table, the tenant and the person, so that neither opens in another's row.
public struct PersonalKey: Sendable {
    private let bytes: [UInt8]
    private let context: String

    /// Generates a random key for a row of `table`.
    public static func generate(table: String, tenant: Int, user: String) -> PersonalKey {
        PersonalKey(bytes: randomBytes(32), context: context(table: table, tenant: tenant, user: user))
    }

    private init(bytes: [UInt8], context: String) {
        self.bytes = bytes
        self.context = context
    }

    /// Opens the key in `wrapped`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when the key belongs to another row, or was sealed with another master
    ///   key.
    public init(
        wrapped: [UInt8], table: String, tenant: Int, user: String, with masterKey: MasterKey
    ) throws(CryptoError) {
        context = Self.context(table: table, tenant: tenant, user: user)
        bytes = try masterKey.open(wrapped, for: context)
        guard bytes.count == 32 else { throw .invalidKey("a person's key must be 32 bytes") }
    }

    /// The context that a key is bound to.
    public static func context(table: String, tenant: Int, user: String) -> String {
        "\(table)/\(tenant)/\(user.lowercased())"
    }

    /// The same key for a value that is bound to another tenant, as one is that comes from another installation.
    public func bound(to tenant: Int, table: String, user: String) -> PersonalKey {
        PersonalKey(bytes: bytes, context: Self.context(table: table, tenant: tenant, user: user))
    }

    /// Seals the key with `masterKey` for storage.
    public func wrapped(with masterKey: MasterKey) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(bytes, for: context)
    }

    /// Encrypts the value.
    public func seal(_ value: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.seal(value[...], with: bytes, associated: Array(context.utf8))
    }

    /// Decrypts the value.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when it was changed or belongs to another row.
    public func open(_ sealed: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.open(sealed, with: bytes, associated: Array(context.utf8))
    }
}
