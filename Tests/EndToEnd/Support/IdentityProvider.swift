import COpenSSL
import Crypto
import Foundation

/// A tenant's own identity provider: a key pair, and the tokens that it signs.
///
/// `@unchecked Sendable`: the key is only read once it was made.
final class IdentityProvider: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    let kid: String
    private let key: OpaquePointer

    init(_ algorithm: SignatureAlgorithm, kid: String = UUID().uuidString, bits: Int32 = 2048) {
        self.algorithm = algorithm
        self.kid = kid
        let type =
            switch algorithm {
            case .es256: EVP_PKEY_EC
            case .rs256: EVP_PKEY_RSA
            default: EVP_PKEY_ED25519
            }
        let context = EVP_PKEY_CTX_new_id(type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        if algorithm == .es256 { EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) }
        if algorithm == .rs256 { EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) }
        var made: OpaquePointer?
        EVP_PKEY_keygen(context, &made)
        guard let made else { fatalError("OpenSSL made no key") }
        key = made
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The public key in PEM.
    var pem: String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        PEM_write_bio_PUBKEY(memory, key)
        let count = BIO_ctrl_pending(memory)
        return String(unsafeUninitializedCapacity: count) { Int(BIO_read(memory, $0.baseAddress, Int32(count))) }
    }

    /// The PEM escaped for a JSON string.
    var escapedPEM: String { pem.replacing("\n", with: "\\n") }

    /// A token with `claims`, under the default header or another.
    func token(_ claims: String, header: String? = nil) -> String {
        let head = Base64URL.encode((header ?? #"{"alg":"\#(algorithm.rawValue)","kid":"\#(kid)"}"#).utf8)
        let signed = "\(head).\(Base64URL.encode(claims.utf8))"
        return "\(signed).\(Base64URL.encode(signature(Array(signed.utf8))))"
    }

    /// A token for `subject`, valid for an hour.
    func token(for subject: String, issuer: String, audience: String) -> String {
        let now = Int(Day.now.timeIntervalSince1970)
        return token(
            #"{"iss":"\#(issuer)","aud":["\#(audience)","other"],"sub":"\#(subject)","iat":\#(now),"exp":\#(now + 3600)}"#
        )
    }

    private func signature(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestSignInit(context, nil, algorithm == .edDSA ? nil : EVP_sha256(), nil, key)
        var length = 0
        EVP_DigestSign(context, nil, &length, message, message.count)
        var signature = [UInt8](repeating: 0, count: length)
        EVP_DigestSign(context, &signature, &length, message, message.count)
        signature = Array(signature.prefix(length))
        return algorithm == .es256 ? Self.raw(signature) : signature
    }

    /// The two numbers of a DER signature, 32 bytes each, in the form that a token uses.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        func number(_ at: Int) -> (bytes: [UInt8], next: Int) {
            let count = Int(der[at + 1])
            let digits = der[(at + 2)..<(at + 2 + count)].drop { $0 == 0 }
            return (Array(repeating: 0, count: 32 - digits.count) + digits, at + 2 + count)
        }
        let r = number(2)
        return r.bytes + number(r.next).bytes
    }
}
