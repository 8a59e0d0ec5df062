import Foundation

/// Authentication codes by SHA-256 (RFC 2104).
enum HMAC {
    /// The bytes of a block of SHA-256.
    private static let block = 64

    /// The code of `message`.
    static func sha256(_ message: Data, key: [UInt8]) -> [UInt8] {
        var key = key
        if key.count > block { key = digest(Data(key)) }
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = digest(Data(key.map { $0 ^ 0x36 }), message)
        return digest(Data(key.map { $0 ^ 0x5c }), Data(inner))
    }

    /// Whether two codes are equal. The time that it takes does not depend on where they differ, or a sender could find
    /// the code byte by byte.
    static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func digest(_ parts: Data...) -> [UInt8] {
        var digest = ContentDigest()
        for part in parts { digest.update(part) }
        return digest.bytes()
    }
}
