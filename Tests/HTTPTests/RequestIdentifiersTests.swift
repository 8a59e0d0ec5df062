import Testing

@testable import HTTP

@Suite struct `The id of a request` {
    @Test func `is 16 hexadecimal digits, different each time`() {
        var identifiers = RequestIdentifiers()
        let made = (0..<1000).map { _ in identifiers.next() }
        #expect(Set(made).count == 1000)
        #expect(made.allSatisfy { $0.utf8.count == 16 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
    }

    @Test(arguments: ["a", "A-Z_0.9", String(repeating: "x", count: 64)])
    func `is the client's if that is safe to log`(id: String) {
        #expect(RequestIdentifiers.isAcceptable(id))
    }

    @Test(arguments: ["", "a b", "a\nb", "ä", "a/b", "<a>", String(repeating: "x", count: 65)])
    func `is not the client's otherwise`(id: String) {
        #expect(!RequestIdentifiers.isAcceptable(id))
    }
}
