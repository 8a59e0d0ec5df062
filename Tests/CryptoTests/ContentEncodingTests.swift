import Testing

@testable import Crypto

@Suite struct `HKDF keys` {
    // RFC 5869 appendices A.1 and A.3.
    @Test(
        arguments: [
            (
                "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            ("", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
        ])
    func `match the examples of RFC 5869`(salt: String, info: String, expected: String) throws {
        let derived = try hkdf(
            Array(repeating: 0x0B, count: 22), salt: try #require(Hex.decode(salt)),
            info: try #require(Hex.decode(info)),
            count: 42)
        #expect(Hex.encode(derived) == expected)
    }

    @Test func `are limited to the length that RFC 5869 allows`() {
        #expect(throws: CryptoError.self) { try hkdf([1], salt: [], info: [], count: 255 * 32 + 1) }
    }
}

@Suite struct `Encrypted content encoding` {
    private let secret = Base64URL.decode("yqdlZ-tYemfogSmv7Ws5PQ")!
    private let salt = Base64URL.decode("I1BsxtFttlv3u_Oo94xnmw")!

    @Test func `matches the example of RFC 8188`() throws {
        // RFC 8188 §3.1.
        let encoded = try ContentEncoding.encrypt(
            Array("I am the walrus".utf8), with: secret, salt: salt, keyID: [])
        #expect(Base64URL.encode(encoded) == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test func `has the documented length, and is limited to one record`() throws {
        let key = Array("k1".utf8)
        for padding in [0, 7] {
            let encoded = try ContentEncoding.encrypt(
                [1, 2, 3], padding: padding, with: secret, salt: salt, keyID: key)
            #expect(encoded.count == 3 + padding + ContentEncoding.overhead + key.count)
            #expect(encoded[20] == 2)
            #expect(Array(encoded[21..<23]) == key)
        }
        let full = [UInt8](repeating: 0, count: 4096 - 17)
        let longest = try ContentEncoding.encrypt(full, with: secret, salt: salt, keyID: [])
        #expect(longest.count == 4096 + 21)
        #expect(throws: CryptoError.self) {
            try ContentEncoding.encrypt(full, padding: 1, with: secret, salt: salt, keyID: [])
        }
        #expect(throws: CryptoError.self) { try ContentEncoding.encrypt([], with: secret, salt: [1], keyID: []) }
        #expect(throws: CryptoError.self) {
            try ContentEncoding.encrypt([], with: secret, salt: salt, keyID: Array(repeating: 0, count: 256))
        }
    }
}
