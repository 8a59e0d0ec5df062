internal import COpenSSL

/// Derives `count` bytes of key from a secret with HKDF over SHA-256 (RFC 5869): extract with `salt`, expand for the
/// purpose `info`.
///
/// - Throws: ``CryptoError/library(_:)``, also for more than 255 × 32 bytes (§2.3).
public func hkdf(
    _ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
) throws(CryptoError) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    let done = kith_hkdf_sha256(salt, salt.count, secret, secret.count, info, info.count, &output, count)
    guard done == 1 else {
        ERR_clear_error()
        throw .library("HKDF")
    }
    return output
}
