import Crypto
import Testing

@testable import Identity

@Suite struct `A sign-in link` {
    private static let user = "0fa00000-0000-7000-8000-000000000001"
    private let key = MasterKey.generate()

    @Test func `is read by whoever has the master key, for its tenant alone`() throws {
        let link = SignInLink(tenant: 7, user: Self.user, issuedAt: 1_000_000)
        let token = try link.token(key)
        #expect(try SignInLink(token, tenant: 7, key) == link)
        #expect(try SignInLink(token, tenant: 8, key) == nil)
        #expect(try SignInLink(token, tenant: 7, .generate()) == nil)
        #expect(try SignInLink(token, tenant: 7, key.renewed()) == link, "while the key is replaced")
    }

    @Test func `is refused when anything in it was changed`() throws {
        let token = try SignInLink(tenant: 7, user: Self.user, issuedAt: 1_000_000).token(key)
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "1" ? "2" : "1")
            let read = try SignInLink(changed, tenant: 7, key)
            // The last character has two bits that Base64 does not use.
            #expect(read == nil || index == token.index(before: token.endIndex), "\(changed)")
        }
        for text in ["", ".", "...", "a.b.c.d", token + "x", "x" + token, token + "." + token, "\(token)\0"] {
            #expect(try SignInLink(text, tenant: 7, key) == nil, "\(text)")
        }
    }

    @Test func `has an id of its own each time`() {
        let links = (0..<100).map { _ in SignInLink(tenant: 7, user: Self.user, issuedAt: 1_000_000) }
        #expect(Set(links.map(\.sessionID)).count == 100)
    }

    @Test func `can be opened for a minute, and confirmed for ten`() {
        let link = SignInLink(tenant: 7, user: Self.user, issuedAt: 1_000_000)
        #expect(link.canBeOpened(at: 60_999_999) && !link.canBeOpened(at: 61_000_000))
        #expect(link.canBeConfirmed(at: 600_999_999) && !link.canBeConfirmed(at: 601_000_000))
    }
}
