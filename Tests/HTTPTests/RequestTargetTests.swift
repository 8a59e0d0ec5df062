import Testing

@testable import HTTP

@Suite struct `A request target` {
    private func target(_ text: String) -> RequestTarget {
        Array(text.utf8).withUnsafeBufferPointer { RequestTarget($0) }
    }

    @Test(arguments: [
        ("/", "/", ""), ("/a/b?c=d&e", "/a/b", "c=d&e"), ("/a?b?c", "/a", "b?c"), ("/?", "/", ""), ("*", "*", ""),
        ("/a%2Fb%3F", "/a%2Fb%3F", ""), ("http://a.example/b?c", "/b", "c"), ("HTTPS://a.example", "/", ""),
        ("http://a.example?b", "/", "b"), ("//a/b", "//a/b", ""),
    ])
    func `is a path and a query`(text: String, path: String, query: String) {
        let target = target(text)
        #expect(target.isValid)
        #expect(target.path == path)
        #expect(target.query == query)
        #expect(target.count == text.utf8.count)
    }

    @Test(arguments: ["", "a", "?a", "/a b", "/a#b", "/ä", "/\u{7F}", "/a\tb", "ftp://a/b", "a.example:443"])
    func `is refused otherwise`(text: String) {
        #expect(!target(text).isValid)
    }
}
