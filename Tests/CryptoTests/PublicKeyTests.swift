import Testing

@testable import Crypto

private func bytes(_ base64url: String) throws -> [UInt8] {
    try #require(Base64URL.decode(base64url))
}

@Suite struct `A public key` {
    // The payload of RFC 7515 appendix A, and the keys and signatures given there.
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"

    private func p256() throws -> PublicKey {
        try PublicKey(
            p256X: bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
            y: bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    }

    @Test func `verifies the ES256 example of RFC 7515`() throws {
        let key = try p256()
        #expect(key.algorithm == .es256)
        let input = "eyJhbGciOiJFUzI1NiJ9.\(Self.payload)"
        var signature = try bytes(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        #expect(key.isValid(signature, for: input.utf8))
        #expect(!key.isValid(signature, for: "\(input)x".utf8))
        #expect(!key.isValid(Array(signature.dropLast()), for: input.utf8))
        #expect(!key.isValid([], for: input.utf8))
        #expect(!key.isValid(Array(repeating: 0, count: 64), for: input.utf8))
        signature[40] ^= 1
        #expect(!key.isValid(signature, for: input.utf8))
    }

    @Test func `is found in a PEM text after any other text`() throws {
        let pem = try p256().pem
        for size in stride(from: 0, through: 9000, by: 100) {
            for _ in 1...5 {
                let text = String(repeating: "x", count: size) + "\n" + pem
                // Later allocations would overwrite the text if it had been freed too early.
                let read = try PublicKey(pem: text)
                #expect(read.pem == pem, "\(size)")
            }
        }
    }

    @Test func `verifies the RS256 example of RFC 7515`() throws {
        let key = try PublicKey(modulus: bytes(Self.modulus), exponent: bytes("AQAB"))
        #expect(key.algorithm == .rs256)
        let input = "eyJhbGciOiJSUzI1NiJ9.\(Self.payload)"
        var signature = try bytes(
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        )
        #expect(key.isValid(signature, for: input.utf8))
        signature[0] ^= 1
        #expect(!key.isValid(signature, for: input.utf8))
    }

    @Test func `verifies the Ed25519 example of RFC 8037`() throws {
        let key = try PublicKey(ed25519: bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        #expect(key.algorithm == .edDSA)
        let input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
        let signature = try bytes(
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
        #expect(key.isValid(signature, for: input.utf8))
        #expect(!key.isValid(signature, for: "x\(input)".utf8))
    }

    @Test func `is the same when read from its PEM`() throws {
        let keys = try [
            p256(), PublicKey(modulus: bytes(Self.modulus), exponent: bytes("AQAB")),
            PublicKey(ed25519: bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")),
        ]
        for key in keys {
            #expect(key.pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
            let again = try PublicKey(pem: key.pem)
            #expect(again.pem == key.pem)
            #expect(again.algorithm == key.algorithm)
        }
    }

    @Test func `that is weak, of an unsupported kind or malformed is refused`() throws {
        let short = Array(try bytes(Self.modulus).prefix(128))
        #expect(throws: CryptoError.self) { try PublicKey(modulus: short, exponent: [1, 0, 1]) }
        #expect(throws: CryptoError.self) { try PublicKey(modulus: [], exponent: []) }
        let modulus = try bytes(Self.modulus)
        let even = Array(modulus.dropLast() + [modulus[modulus.count - 1] & 0xFE])
        #expect(throws: CryptoError.self) { try PublicKey(modulus: even, exponent: [1, 0, 1]) }
        for exponent: [UInt8] in [[1], [2], [1, 0, 0]] {
            #expect(throws: CryptoError.self) { try PublicKey(modulus: modulus, exponent: exponent) }
        }
        #expect(throws: CryptoError.self) {
            try PublicKey(p256X: Array(repeating: 1, count: 32), y: Array(repeating: 1, count: 32))
        }
        #expect(throws: CryptoError.self) { try PublicKey(p256X: [1], y: [2]) }
        #expect(throws: CryptoError.self) { try PublicKey(ed25519: [1]) }
        for pem in ["", "nonsense", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
            #expect(throws: CryptoError.self) { try PublicKey(pem: pem) }
        }
        // P-384, whose algorithm would be ES384.
        let p384 = """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEMBjS+YMOy8mRQ6xMh1WDfJwSS8jbYROn
            RC4jlytKnXjeAeZHHrfpvwDPP5cK/keMsQV7DPtQm3pVmPbWivBtqDJJtJbUu1ZM
            s83zi2uyRyUkVgf57ZiLv4iXAycEUcas
            -----END PUBLIC KEY-----
            """
        #expect {
            try PublicKey(pem: p384)
        } throws: {
            "\($0)".contains("P-256")
        }
    }
}

@Suite struct `A token from another issuer` {
    @Test func `is accepted only with the key's own algorithm`() throws {
        // The header says HS256, and the HMAC uses the public key's text as its secret: algorithm confusion (RFC 8725
        // §2.1).
        let key = try PublicKey(ed25519: bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        let confused = try HMACKey(Array(key.pem.utf8))
        let claims = JWT.Claims(iss: "i", aud: ["a"], sub: "s", tid: nil, iat: nil, exp: 1)
        let token = try #require(JWT(JWT.sign(claims, keyID: "k", by: confused)))
        #expect(token.isSigned(by: confused))
        #expect(!token.isSigned(by: key))
    }

    @Test func `may use our claim names with other meanings`() throws {
        let header = Base64URL.encode(#"{"alg":"EdDSA","kid":"k"}"#.utf8)
        let payload = Base64URL.encode(#"{"iss":"i","aud":"a","sub":"s","exp":1,"tid":"a-uuid","sid":7}"#.utf8)
        let token = try #require(JWT("\(header).\(payload).AAAA"))
        #expect(token.claims.tid == nil)
        #expect(token.claims.sid == nil)
    }
}

@Suite struct `A version 7 UUID` {
    @Test func `contains its time and sorts by it`() throws {
        // RFC 9562 appendix A.6: 2022-02-22 14:22:22 UTC-5.
        let id = UUID7.make(at: 1_645_557_742_000_000)
        #expect(id.hasPrefix("017f22e2-79b0-7"))
        #expect(id.count == 36)
        #expect(try #require(Hex.decode(id.replacing("-", with: "")))[8] >> 6 == 2)
        #expect(UUID7.make(at: 1_645_557_742_000_000) < UUID7.make(at: 1_645_557_742_000_999))
        #expect(UUID7.make(at: 1_645_557_742_000_999) < UUID7.make(at: 1_645_557_742_001_000))
    }

    @Test func `tells its time, to the millisecond`() {
        #expect(UUID7.instant(of: UUID7.make(at: 1_645_557_742_123_456)) == 1_645_557_742_123_000)
        #expect(UUID7.instant(of: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f") == 1_645_557_742_000_000)
        for text in ["", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "zzzzzzzz-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2"] {
            #expect(UUID7.instant(of: text) == nil, "\(text)")
        }
    }
}
