import Foundation
import Testing

@testable import Crypto

@Suite struct `The master key` {
    let key = MasterKey.generate()
    let secret = Array("a secret of somebody's".utf8)

    @Test func `opens what it sealed for the same place`() throws {
        let sealed = try key.seal(secret, for: "jwt_keys/1/a")
        #expect(try key.open(sealed, for: "jwt_keys/1/a") == secret)
    }

    @Test func `seals the same secret differently each time`() throws {
        #expect(try key.seal(secret, for: "a") != key.seal(secret, for: "a"))
    }

    @Test func `does not open a secret from another place, a changed or truncated one, or another key's`() throws {
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
        #expect(try MasterKey(text: hex + "\n").text == hex + "\n")
        let base64 = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
        #expect(try MasterKey(text: base64).text == hex + "\n")
    }

    @Test func `may consist of several keys, the first of which seals and all of which open`() throws {
        let (old, new) = (String(repeating: "ab", count: 32), String(repeating: "cd", count: 32))
        for text in ["\(new),\(old)", "\(new)\n\(old)\n", " \(new) , \(old) "] {
            let both = try MasterKey(text: text)
            #expect(both.count == 2)
            let sealed = try both.seal(secret, for: "a")
            #expect(try MasterKey(text: new).open(sealed, for: "a") == secret)
            #expect(throws: CryptoError.self) { try MasterKey(text: old).open(sealed, for: "a") }
            #expect(try both.open(MasterKey(text: old).seal(secret, for: "a"), for: "a") == secret)
            #expect(throws: CryptoError.self) { try both.open(key.seal(secret, for: "a"), for: "a") }
        }
    }

    @Test func `is rotated by a new key in front of it`() throws {
        let sealed = try key.seal(secret, for: "a")
        let renewed = key.renewed()
        #expect(renewed.text.hasSuffix(key.text))
        #expect(try renewed.open(sealed, for: "a") == secret)
        #expect(throws: CryptoError.self) { try renewed.first.open(sealed, for: "a") }
    }

    @Test func `from a file follows changes of the file`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "master.key").path
        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        try write(key.text)
        let kept = try MasterKey(file: path)
        let sealed = try kept.seal(secret, for: "a")
        let renewed = key.renewed()
        try write(renewed.text)
        #expect(try kept.open(renewed.first.seal(secret, for: "a"), for: "a") == secret)
        #expect(try renewed.first.open(kept.seal(secret, for: "a"), for: "a") == secret)
        #expect(try kept.open(sealed, for: "a") == secret)
        // An invalid key or a missing file changes nothing.
        try write("half a k")
        #expect(try kept.open(sealed, for: "a") == secret)
        try FileManager.default.removeItem(atPath: path)
        #expect(try kept.open(sealed, for: "a") == secret)
        #expect(throws: CryptoError.self) { try MasterKey(file: path) }
    }

    @Test(
        arguments: [
            "", ",", "abc", String(repeating: "g", count: 64), String(repeating: "ab", count: 31), "c2hvcnQ=",
            String(repeating: "ab", count: 32) + ",abc",
        ])
    func `refuses text that is not a key`(text: String) {
        #expect(throws: CryptoError.self) { try MasterKey(text: text) }
    }
}

@Suite struct `Encodings and digests` {
    @Test func `base64url has only one valid spelling`() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.decode("-_8") == [0xFB, 0xFF])
        #expect((0...255).allSatisfy { Base64URL.decode(Base64URL.encode([$0])) == [$0] })
        #expect((0...255).allSatisfy { Base64URL.decode(Base64URL.encode([7, $0])) == [7, $0] })
        for wrong in ["+/8", "-_8=", "-_ 8", "A", "-_9", "-_-", "-x"] { #expect(Base64URL.decode(wrong) == nil) }
    }

    @Test func `hexadecimal makes the round trip`() {
        #expect(Hex.encode([0, 255, 16]) == "00ff10")
        #expect(Hex.decode("00FF10") == [0, 255, 16])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("zz") == nil)
    }

    @Test func `SHA-256 matches the standard's examples`() {
        // FIPS 180-4, "abc" and the empty text.
        #expect(
            Hex.encode(sha256("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(Hex.encode(sha256("".utf8)) == empty)
        #expect(Hex.encode(sha256([])) == empty)
    }

    @Test(arguments: [0, 1, 63, 64, 65, 1000, 100_000]) func `an incremental digest equals that of the whole`(
        count: Int
    ) {
        let bytes = randomBytes(count)
        for size in [1, 7, 64, 4096] where count / size < 2000 {
            let digest = SHA256Digest()
            for start in stride(from: 0, to: count, by: size) {
                digest.update(Array(bytes[start..<min(start + size, count)]))
            }
            #expect(digest.finish() == sha256(bytes))
        }
    }

    @Test func `random bytes differ`() {
        #expect(randomBytes(32) != randomBytes(32))
        #expect(randomBytes(0).isEmpty)
    }
}
