import Testing

@testable import Crypto

@Suite struct `The master key` {
    let key = MasterKey.generate()
    let secret = Array("a secret of somebody's".utf8)

    @Test func `opens what it sealed, for the same place`() throws {
        let sealed = try key.seal(secret, for: "jwt_keys/1/a")
        #expect(try key.open(sealed, for: "jwt_keys/1/a") == secret)
    }

    @Test func `seals the same secret differently each time`() throws {
        #expect(try key.seal(secret, for: "a") != key.seal(secret, for: "a"))
    }

    @Test func `does not open what belongs elsewhere, was changed, cut or sealed with another key`() throws {
        let sealed = try key.seal(secret, for: "jwt_keys/1/a")
        #expect(throws: CryptoError.self) { try key.open(sealed, for: "jwt_keys/2/a") }
        #expect(throws: CryptoError.self) { try MasterKey.generate().open(sealed, for: "jwt_keys/1/a") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try key.open(changed, for: "jwt_keys/1/a") }
        }
        #expect(throws: CryptoError.self) { try key.open(Array(sealed.dropLast()), for: "jwt_keys/1/a") }
        #expect(throws: CryptoError.self) { try key.open([], for: "jwt_keys/1/a") }
    }

    @Test func `is read from hexadecimal and from base64`() throws {
        let hex = String(repeating: "ab", count: 32)
        #expect(try MasterKey(text: hex + "\n").text == hex)
        let base64 = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
        #expect(try MasterKey(text: base64).text == hex)
    }

    @Test(arguments: ["", "abc", String(repeating: "g", count: 64), String(repeating: "ab", count: 31), "c2hvcnQ="])
    func `refuses what is no key`(text: String) {
        #expect(throws: CryptoError.self) { try MasterKey(text: text) }
    }
}

@Suite struct `Encodings and digests` {
    @Test func `base64url has one spelling`() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.decode("-_8") == [0xFB, 0xFF])
        for wrong in ["+/8", "-_8=", "-_ 8", "A"] { #expect(Base64URL.decode(wrong) == nil) }
    }

    @Test func `hexadecimal goes both ways`() {
        #expect(Hex.encode([0, 255, 16]) == "00ff10")
        #expect(Hex.decode("00FF10") == [0, 255, 16])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("zz") == nil)
    }

    @Test func `SHA-256 matches the standard's example`() {
        // FIPS 180-4, "abc".
        #expect(
            Hex.encode(sha256("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `random bytes differ`() {
        #expect(randomBytes(32) != randomBytes(32))
        #expect(randomBytes(0).isEmpty)
    }
}
