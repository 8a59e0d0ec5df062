import Problems
import Testing

@testable import API

@Suite struct `An Accept header` {
    @Test(
        arguments: [
            nil, "", "*/*", "application/json", "application/*", "APPLICATION/JSON", "application/json; charset=utf-8",
            "text/html, application/xhtml+xml, */*;q=0.8", "text/html;q=0, application/json;q=0.1", "nonsense",
            "application/json ;q=0.5, */*;q=0",
        ])
    func `allows JSON`(header: String?) {
        #expect(AcceptHeader(header).allows(.json))
    }

    @Test(arguments: [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true), ("text/html", true), (nil, false),
        ("*/*", false), ("application/json", false), ("text/html, application/json", false), ("text/html;q=0", false),
        ("application/problem+json, text/html;q=0.5", false), ("text/*", false),
    ])
    func `prefers a page if it comes from a browser`(header: String?, isBrowser: Bool) {
        #expect(AcceptHeader(header).isBrowser == isBrowser)
    }

    @Test func `counts only its first fifty ranges, however long it is`() {
        let many = String(repeating: "a/b,", count: 4000)
        #expect(!AcceptHeader(many + "application/json").allows(.json))
        #expect(AcceptHeader("application/json," + many).allows(.json))
    }

    @Test(
        arguments: [
            "text/html", "image/*", "application/xml, text/plain;q=0.5", "application/json;q=0",
            "*/*, application/json;q=0",
            "*/*;q=0", "application/jsonp", "application/json;q=0.000",
        ])
    func `can allow other formats only`(header: String) {
        #expect(!AcceptHeader(header).allows(.json))
    }
}
