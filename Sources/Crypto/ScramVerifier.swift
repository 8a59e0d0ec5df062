internal import COpenSSL
internal import Foundation

/// What PostgreSQL stores of a password (RFC 5803, in PostgreSQL's form), so that the password itself never reaches the
/// server or its log.
///
/// `password` is ASCII, so that SASLprep leaves it as it is, and `salt` random.
///
/// - Throws: ``CryptoError/library(_:)`` if OpenSSL fails.
public func scramVerifier(
    of password: String, salt: [UInt8] = randomBytes(16), iterations: Int = 4096
) throws(CryptoError) -> String {
    precondition(password.utf8.allSatisfy { $0 < 128 }, "SASLprep is for ASCII alone here")
    let bytes = password.utf8.map { CChar(bitPattern: $0) }
    var salted = [UInt8](repeating: 0, count: 32)
    let done = PKCS5_PBKDF2_HMAC(
        bytes, Int32(bytes.count), salt, Int32(salt.count), Int32(iterations), EVP_sha256(), 32, &salted)
    guard done == 1 else { throw .library("PKCS5_PBKDF2_HMAC") }
    let key = try HMACKey(salted)
    let storedKey = sha256(key.authenticationCode(for: Array("Client Key".utf8)))
    let serverKey = key.authenticationCode(for: Array("Server Key".utf8))
    func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    return "SCRAM-SHA-256$\(iterations):\(base64(salt))$\(base64(storedKey)):\(base64(serverKey))"
}
