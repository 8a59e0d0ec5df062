internal import Foundation

/// The key that wraps every secret we must be able to read again: signing keys, providers' credentials, vault keys. While it is exchanged
/// there are several: the first one seals, and all of them open.
///
/// A sealed value is bound to its context (which row it belongs to), so a value moved to another row does not open.
public struct MasterKey: Sendable {
    private let ring: KeyRing

    private init(_ ring: KeyRing) {
        self.ring = ring
    }

    /// Keys as a person writes them: each 64 hexadecimal digits, or base64 of 32 bytes, separated by commas or white space.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the text is something else.
    public init(text: String) throws(CryptoError) {
        self.init(KeyRing(try KeyRing.read(text)))
    }

    /// The keys in a file, which is read again whenever it has changed: so a running program learns of a new key.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the file cannot be read or holds something else.
    public init(file: String) throws(CryptoError) {
        self.init(try KeyRing(file: file))
    }

    /// A new random key.
    public static func generate() -> MasterKey {
        MasterKey(KeyRing([randomBytes(32)]))
    }

    /// The keys, each as 64 hexadecimal digits on a line of its own, to be kept in a file that only its owner reads.
    public var text: String { ring.keys.map { Hex.encode($0) + "\n" }.joined() }

    /// How many keys there are: more than one while it is exchanged.
    public var count: Int { ring.keys.count }

    /// These keys, behind a new random one that seals from now on.
    public func renewed() -> MasterKey {
        MasterKey(KeyRing([randomBytes(32)] + ring.keys))
    }

    /// The key alone that seals.
    public var first: MasterKey { MasterKey(KeyRing(Array(ring.keys.prefix(1)))) }

    /// Keys of their own for one purpose, from which these cannot be found: of each its HMAC-SHA-256 of the purpose, that of the sealing
    /// one first.
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

    /// Decrypts what ``seal(_:for:)`` made for the same `context` with any of the keys.
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
