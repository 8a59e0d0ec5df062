/// The key of one vault's documents.
///
/// A document's content rests in chunks, each AES-256-GCM with a random nonce, bound to its place: so one that was changed, moved, left out
/// or taken from an older version does not open, and a cut content lacks its last chunk.
public struct ContentKey: Sendable {
    /// Where a chunk belongs.
    public struct Place: Sendable {
        let version: String
        let position: Int
        let isLast: Bool

        /// The chunk at `position`, from 0, of a version of a document; `isLast` says that none follows. Ids are compared as they are
        /// written.
        public init(tenant: Int, vault: String, document: String, version: String, position: Int, isLast: Bool) {
            self.version = "document_chunks/\(tenant)/\(vault)/\(document)/\(version)"
            self.position = position
            self.isLast = isLast
        }

        fileprivate var text: [UInt8] { Array("\(version)/\(position)/\(isLast ? "last" : "more")".utf8) }
    }

    /// How many bytes a sealed chunk is longer than its content.
    public static let overhead = AuthenticatedEncryption.overhead

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A new random key.
    public static func generate() -> ContentKey {
        ContentKey(bytes: randomBytes(32))
    }

    /// The key as it rests: sealed by `masterKey`, bound to tenant and vault.
    public func wrapped(tenant: Int, vault: String, with masterKey: MasterKey) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(bytes, for: Self.context(tenant: tenant, vault: vault))
    }

    /// The key that rests as `wrapped`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when it is another vault's, or was sealed with another master key.
    public init(wrapped: [UInt8], tenant: Int, vault: String, with masterKey: MasterKey) throws(CryptoError) {
        bytes = try masterKey.open(wrapped, for: Self.context(tenant: tenant, vault: vault))
        guard bytes.count == 32 else { throw .invalidKey("a vault's key must be 32 bytes") }
    }

    /// What a vault's key is bound to.
    public static func context(tenant: Int, vault: String) -> String {
        "vault_keys/\(tenant)/\(vault.lowercased())"
    }

    /// Encrypts a chunk for its place.
    public func seal(_ chunk: ArraySlice<UInt8>, for place: Place) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.seal(chunk, with: bytes, associated: place.text)
    }

    /// Decrypts the chunk of a place.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when it was changed or belongs elsewhere.
    public func open(_ sealed: [UInt8], for place: Place) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.open(sealed, with: bytes, associated: place.text)
    }
}
