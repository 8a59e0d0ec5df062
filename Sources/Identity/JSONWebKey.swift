internal import Crypto
internal import JSON

/// A key of a JSON Web Key Set (RFC 7517) that can sign access tokens.
struct JSONWebKey {
    /// The key material that verifies signatures.
    enum Material {
        case publicKey(PublicKey)
        /// The secret of HS256.
        case secret([UInt8])
    }

    let kid: String
    let material: Material

    var algorithm: SignatureAlgorithm {
        switch material {
        case .publicKey(let key): key.algorithm
        case .secret: .hs256
        }
    }

    /// The key is unusable here. `member` is the member at fault.
    struct Refusal: Error {
        let member: String
        let reason: String
    }

    /// Whether the key has another use than signing (RFC 7517, section 4.2). A provider's key set may have such keys
    /// too.
    static func isForSomethingElse(_ value: JSONValue) -> Bool {
        value["use"]?.string.map { $0 != "sig" } ?? false
    }

    init(kid: String, material: Material) {
        self.kid = kid
        self.material = material
    }

    /// Reads one key of a set.
    init(_ value: JSONValue) throws(Refusal) {
        kid = try Self.text("kid", of: value)
        guard (1...200).contains(kid.unicodeScalars.count), TextFormat.line.accepts(kid) else {
            throw Refusal(member: "kid", reason: "must have 1 to 200 characters")
        }
        for secret in ["d", "p", "q"] where value[secret] != nil {
            throw Refusal(member: secret, reason: "must not be given: it is the private part of the key")
        }
        let type = try Self.text("kty", of: value)
        let bytes = try Self.bytes(of: value)
        do throws(CryptoError) {
            switch (type, value["crv"]?.string) {
            case ("EC", "P-256"):
                material = .publicKey(
                    try PublicKey(p256X: bytes["x"] ?? [], y: bytes["y"] ?? []))
            case ("RSA", _):
                material = .publicKey(
                    try PublicKey(modulus: bytes["n"] ?? [], exponent: bytes["e"] ?? []))
            case ("OKP", "Ed25519"):
                material = .publicKey(try PublicKey(ed25519: bytes["x"] ?? []))
            case ("oct", _):
                let secret = bytes["k"] ?? []
                guard (32...512).contains(secret.count) else { throw .invalidKey("must be 32 to 512 bytes") }
                material = .secret(secret)
            default: throw .invalidKey("must be EC with P-256, RSA, OKP with Ed25519, or oct")
            }
        } catch {
            let member = ["EC": "x", "RSA": "n", "OKP": "x", "oct": "k"][type] ?? "kty"
            throw Refusal(member: value["crv"] == nil || member == "kty" ? member : "crv", reason: "\(error)")
        }
        if let named = value["alg"]?.string, named != algorithm.rawValue {
            throw Refusal(member: "alg", reason: "must be \(algorithm.rawValue) for this key")
        }
    }

    private static func text(_ member: String, of value: JSONValue) throws(Refusal) -> String {
        guard let text = value[member]?.string else { throw Refusal(member: member, reason: "is required") }
        return text
    }

    /// The decoded members of the key. No key type accepts a missing one.
    private static func bytes(of value: JSONValue) throws(Refusal) -> [String: [UInt8]] {
        var bytes: [String: [UInt8]] = [:]
        for member in ["x", "y", "n", "e", "k"] where value[member] != nil {
            guard let text = value[member]?.string, let decoded = Base64URL.decode(text) else {
                throw Refusal(
                    member: member,
                    reason:
                        "must be base64url without padding, and without bits in its last digit that belong to no byte")
            }
            bytes[member] = decoded
        }
        return bytes
    }
}
