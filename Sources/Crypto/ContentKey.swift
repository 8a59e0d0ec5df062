/// The key of one vault's documents.
///
/// A document's content is stored in chunks, each AES-256-GCM with a random nonce and bound to its place. A chunk that
/// was changed, moved or taken from an older version does not open. Neither does content with a chunk left out, and
/// truncated content lacks its last chunk.
public struct ContentKey: Sendable {
    /// The place where a chunk belongs.
    public struct Place: Sendable {
        let version: String
        let position: Int
        let isLast: Bool

        /// Creates the place of the chunk at `position`, from 0, in a version of a document. `isLast` says that no
        /// chunk follows. The ids are compared literally.
        public init(tenant: Int, vault: String, document: String, version: String, position: Int, isLast: Bool) {
            self.version = "document_chunks/\(tenant)/\(vault)/\(document)/\(version)"
            self.position = position
            self.isLast = isLast
        }

        fileprivate var text: [UInt8] { Array("\(version)/\(position)/\(isLast ? "last" : "more")".utf8) }
    }

    /// How many bytes longer than its content a sealed chunk is.
    public static let overhead = AuthenticatedEncryption.overhead

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Generates a random key.
    public static func generate() -> ContentKey {
        ContentKey(bytes: randomBytes(32))
    }

    /// Seals the key with `masterKey`, bound to the tenant and the vault, for storage.
    public func wrapped(tenant: Int, vault: String, with masterKey: MasterKey) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(bytes, for: Self.context(tenant: tenant, vault: vault))
    }

    /// Opens the key in `wrapped`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when the key belongs to another vault, or was sealed with another master
    ///   key.
    public init(wrapped: [UInt8], tenant: Int, vault: String, with masterKey: MasterKey) throws(CryptoError) {
        bytes = try masterKey.open(wrapped, for: Self.context(tenant: tenant, vault: vault))
        guard bytes.count == 32 else { throw .invalidKey("a vault's key must be 32 bytes") }
    }

    /// The context that a vault's key is bound to.
    public static func context(tenant: Int, vault: String) -> String {
        "vault_keys/\(tenant)/\(vault.lowercased())"
    }

    /// Encrypts a chunk for its place.
    public func seal(_ chunk: ArraySlice<UInt8>, for place: Place) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.seal(chunk, with: bytes, associated: place.text)
    }

    /// Decrypts the chunk of a place.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when the chunk was changed or belongs elsewhere.
    public func open(_ sealed: [UInt8], for place: Place) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.open(sealed, with: bytes, associated: place.text)
    }
}
