internal import Foundation

/// The key that encrypts every secret that Kith must be able to read again: signing keys, providers' credentials, vault
/// keys. During a rotation there are several: the first one seals, and all of them open.
///
/// A sealed value is bound to its context, the row that it belongs to. A value moved to another row does not open.
public struct MasterKey: Sendable {
    private let ring: KeyRing

    private init(_ ring: KeyRing) {
        self.ring = ring
    }

    /// Reads keys as a person writes them: each is 64 hexadecimal digits or base64 of 32 bytes, separated by commas or
    /// white space.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the text is something else.
    public init(text: String) throws(CryptoError) {
        self.init(KeyRing(try KeyRing.read(text)))
    }

    /// Reads the keys in a file. The file is read again whenever it changes, so that a running program learns of a new
    /// key.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the file cannot be read or contains something else.
    public init(file: String) throws(CryptoError) {
        self.init(try KeyRing(file: file))
    }

    /// Generates a random key.
    public static func generate() -> MasterKey {
        MasterKey(KeyRing([randomBytes(32)]))
    }

    /// The keys, each as 64 hexadecimal digits on its own line, for a file that only its owner can read.
    public var text: String { ring.keys.map { Hex.encode($0) + "\n" }.joined() }

    /// The number of keys: more than one during a rotation.
    public var count: Int { ring.keys.count }

    /// These keys behind a new random one, which seals from now on.
    public func renewed() -> MasterKey {
        MasterKey(KeyRing([randomBytes(32)] + ring.keys))
    }

    /// The sealing key alone.
    public var first: MasterKey { MasterKey(KeyRing(Array(ring.keys.prefix(1)))) }

    /// Derives keys for one purpose, from which the master keys cannot be computed: the HMAC-SHA-256 of the purpose
    /// under each key, the sealing key's first.
    public func derived(for purpose: String) throws(CryptoError) -> [HMACKey] {
        var derived: [HMACKey] = []
        for key in ring.keys {
            derived.append(try HMACKey(HMACKey(key).authenticationCode(for: "kith/\(purpose)".utf8)))
        }
        return derived
    }

    /// Encrypts `plaintext` for the place that `context` names, for example `jwt_keys/7/<id>`.
    public func seal(_ plaintext: [UInt8], for context: String) throws(CryptoError) -> [UInt8] {
        try AuthenticatedEncryption.seal(plaintext[...], with: ring.keys[0], associated: Array(context.utf8))
    }

    /// Decrypts a value that ``seal(_:for:)`` made for the same `context` with any of the keys.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when the value was changed, moved, or sealed with another key.
    public func open(_ sealed: [UInt8], for context: String) throws(CryptoError) -> [UInt8] {
        let associated = Array(context.utf8)
        for key in ring.keys {
            do throws(CryptoError) {
                return try AuthenticatedEncryption.open(sealed, with: key, associated: associated)
            } catch {
                guard case .notAuthentic = error else { throw error }
            }
        }
        throw .notAuthentic
    }
}
