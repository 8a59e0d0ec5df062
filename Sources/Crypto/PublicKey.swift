internal import COpenSSL
internal import Glibc

/// A public key with which somebody else signs tokens. Which algorithm it verifies follows from the key, never from a token.
///
/// `@unchecked Sendable`: the `EVP_PKEY` is not changed after it was made, and each use has a context of its own.
public final class PublicKey: @unchecked Sendable {
    /// The one algorithm with which it verifies.
    public let algorithm: SignatureAlgorithm
    private let key: OpaquePointer

    /// The fewest bits that an RSA key may have (RFC 7518 §3.3), and the most: verifying must stay cheap.
    private static let modulusBits = 2048...8192

    /// A key from its PEM text (`-----BEGIN PUBLIC KEY-----`).
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything else: another curve, an RSA key that is too short, a private key.
    public convenience init(pem: String) throws(CryptoError) {
        guard let key = try PEM.key(in: pem, { PEM_read_bio_PUBKEY($0, nil, nil, nil) }) else {
            ERR_clear_error()
            throw .invalidKey("must be a public key in PEM, beginning with -----BEGIN PUBLIC KEY-----")
        }
        try self.init(owning: key)
    }

    /// The key of a point of P-256.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the coordinates are not 32 bytes each, or not on the curve.
    public convenience init(p256X x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == 32, y.count == 32, let key = kith_p256_key([4] + x + y) else {
            ERR_clear_error()
            throw .invalidKey("must be a point of P-256")
        }
        try self.init(owning: key)
    }

    /// The RSA key of a modulus and an exponent, both big-endian.
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

    /// The key of a point of Ed25519.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when it is not 32 bytes.
    public convenience init(ed25519 point: [UInt8]) throws(CryptoError) {
        guard point.count == 32, let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, point, 32) else {
            ERR_clear_error()
            throw .invalidKey("must be 32 bytes")
        }
        try self.init(owning: key)
    }

    /// Takes over a key.
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

    /// The key in PEM, the same for the same key however it was given.
    public var pem: String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        precondition(PEM_write_bio_PUBKEY(memory, key) == 1, "OpenSSL could not write a public key")
        let count = BIO_ctrl_pending(memory)
        return String(unsafeUninitializedCapacity: count) { buffer in
            Int(max(0, BIO_read(memory, buffer.baseAddress, Int32(count))))
        }
    }

    /// Whether `signature`, in the form of a token (RFC 7518 §3), is this key's of `message`.
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
        // Ed25519 hashes by itself.
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
