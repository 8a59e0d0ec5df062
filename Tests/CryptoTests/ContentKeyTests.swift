import Testing

@testable import Crypto

@Suite struct `A vault's document key` {
    let key = ContentKey.generate()
    let chunk = Array("a page of somebody's will".utf8)

    private func place(
        tenant: Int = 1, vault: String = "v", document: String = "d", version: String = "n", position: Int = 3,
        isLast: Bool = false
    ) -> ContentKey.Place {
        ContentKey.Place(
            tenant: tenant, vault: vault, document: document, version: version, position: position, isLast: isLast)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 262_144]) func `opens what it sealed, at any length`(count: Int) throws {
        let chunk = randomBytes(count)
        let sealed = try key.seal(chunk[...], for: place())
        #expect(sealed.count == count + ContentKey.overhead)
        #expect(try key.open(sealed, for: place()) == chunk)
        if count > 15 { #expect(Array(sealed[13..<(13 + 16)]) != Array(chunk[..<16])) }
    }

    @Test func `seals a slice in place`() throws {
        let sealed = try key.seal(chunk[2..<6], for: place())
        #expect(try key.open(sealed, for: place()) == Array(chunk[2..<6]))
    }

    @Test func `seals the same chunk differently each time`() throws {
        #expect(try key.seal(chunk[...], for: place()) != key.seal(chunk[...], for: place()))
    }

    @Test func `does not open a chunk at any other place`() throws {
        let sealed = try key.seal(chunk[...], for: place())
        for other in [
            place(tenant: 2), place(vault: "w"), place(document: "e"), place(version: "o"), place(position: 2),
            place(isLast: true),
        ] {
            #expect(throws: CryptoError.self) { try key.open(sealed, for: other) }
        }
        #expect(throws: CryptoError.self) { try ContentKey.generate().open(sealed, for: place()) }
    }

    @Test func `does not open a chunk that was changed by a bit or truncated`() throws {
        let sealed = try key.seal(chunk[...], for: place())
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try key.open(changed, for: place()) }
        }
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.self) { try key.open(Array(sealed.prefix(count)), for: place()) }
        }
    }

    @Test func `is stored under the master key, bound to its vault`() throws {
        let master = MasterKey.generate()
        let wrapped = try key.wrapped(tenant: 1, vault: "A", with: master)
        let again = try ContentKey(wrapped: wrapped, tenant: 1, vault: "a", with: master)
        #expect(try again.open(key.seal(chunk[...], for: place()), for: place()) == chunk)
        for (tenant, vault, other) in [(2, "a", master), (1, "b", master), (1, "a", MasterKey.generate())] {
            #expect(throws: CryptoError.self) {
                try ContentKey(wrapped: wrapped, tenant: tenant, vault: vault, with: other)
            }
        }
    }
}
