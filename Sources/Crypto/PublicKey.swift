internal import COpenSSL
internal import Glibc

/// A public key that verifies tokens signed by others. The key decides which algorithm it verifies, never the token.
///
/// `@unchecked Sendable`: the `EVP_PKEY` does not change after its creation, and each use has its own context.
public final class PublicKey: @unchecked Sendable {
    /// The only algorithm that the key verifies.
    public let algorithm: SignatureAlgorithm
    private let key: OpaquePointer

    /// The length of RSA keys in bits: the minimum is that of RFC 7518 §3.3, the maximum keeps verification cheap.
    private static let modulusBits = 2048...8192

    /// Reads a key from PEM (`-----BEGIN PUBLIC KEY-----`).
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything else, such as another curve, an RSA key that is too short
    ///   or a private key.
    public convenience init(pem: String) throws(CryptoError) {
        guard let key = try PEM.key(in: pem, { PEM_read_bio_PUBKEY($0, nil, nil, nil) }) else {
            ERR_clear_error()
            throw .invalidKey("must be a public key in PEM, beginning with -----BEGIN PUBLIC KEY-----")
        }
        try self.init(owning: key)
    }

    /// Creates a key from a point on P-256.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when a coordinate does not have 32 bytes, or the point is not on the
    ///   curve.
    public convenience init(p256X x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == 32, y.count == 32, let key = kith_p256_key([4] + x + y) else {
            ERR_clear_error()
            throw .invalidKey("must be a point of P-256")
        }
        try self.init(owning: key)
    }

    /// Creates an RSA key from a modulus and an exponent, both big-endian.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for a key that is too short or too long.
    public convenience init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard modulus.count <= Self.modulusBits.upperBound / 8 + 1, (1...8).contains(exponent.count),
            let key = kith_rsa_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count))
        else {
            ERR_clear_error()
            throw .invalidKey("must be an RSA key")
        }
        try self.init(owning: key)
    }

    /// Creates a key from a point on Ed25519.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the point does not have 32 bytes.
    public convenience init(ed25519 point: [UInt8]) throws(CryptoError) {
        guard point.count == 32, let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, point, 32) else {
            ERR_clear_error()
            throw .invalidKey("must be 32 bytes")
        }
        try self.init(owning: key)
    }

    /// Takes ownership of a key.
    private init(owning key: OpaquePointer) throws(CryptoError) {
        do throws(CryptoError) {
            algorithm = try Self.algorithm(of: key)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The key in PEM. The same key always has the same text.
    public var pem: String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        precondition(PEM_write_bio_PUBKEY(memory, key) == 1, "OpenSSL could not write a public key")
        let count = BIO_ctrl_pending(memory)
        return String(unsafeUninitializedCapacity: count) { buffer in
            Int(max(0, BIO_read(memory, buffer.baseAddress, Int32(count))))
        }
    }

    /// Whether `signature`, in the format of tokens (RFC 7518 §3), is this key's signature of `message`.
    public func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var signature = signature
        if algorithm == .es256 {
            guard signature.count == 64 else { return false }
            var der = [UInt8](repeating: 0, count: 72)
            let length = kith_ecdsa_der(signature, &der)
            guard length > 0 else { return false }
            signature = Array(der.prefix(Int(length)))
        }
        let input = Array(message)
        // Ed25519 does its own hashing.
        let digest = algorithm == .edDSA ? nil : EVP_sha256()
        return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, input, input.count) == 1
    }

    private static func algorithm(of key: OpaquePointer) throws(CryptoError) -> SignatureAlgorithm {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1,
                strncmp(name, "prime256v1", name.count) == 0
            else { throw .invalidKey("must be of the curve P-256") }
            return .es256
        case EVP_PKEY_RSA:
            guard modulusBits.contains(Int(EVP_PKEY_get_bits(key))) else {
                throw .invalidKey("must have from \(modulusBits.lowerBound) to \(modulusBits.upperBound) bits")
            }
            guard kith_rsa_is_plausible(key) == 1 else {
                throw .invalidKey("must have an odd modulus and an odd exponent greater than 1")
            }
            return .rs256
        case EVP_PKEY_ED25519: return .edDSA
        default: throw .invalidKey("must be a key of P-256, RSA or Ed25519")
        }
    }
}
