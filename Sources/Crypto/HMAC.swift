internal import COpenSSL

/// The digests with which other services authenticate what they send us.
public enum HMACDigest: Sendable {
    case sha1
    case sha256
}

/// Returns the HMAC (RFC 2104) of `message` under `key`, which may have any length. For codes that others define; our
/// own use ``HMACKey``.
///
/// - Throws: ``CryptoError/library(_:)`` when OpenSSL has no memory left.
public func hmac(_ digest: HMACDigest, key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let algorithm = digest == .sha1 ? EVP_sha1() : EVP_sha256()
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard HMAC(algorithm, key, Int32(key.count), message, message.count, &code, &length) != nil else {
        ERR_clear_error()
        throw .library("HMAC")
    }
    return Array(code.prefix(Int(length)))
}
