import Testing

@testable import API

@Suite struct `A client takes an answer` {
    @Test(
        arguments: [
            nil, "", "*/*", "application/json", "application/*", "APPLICATION/JSON", "application/json; charset=utf-8",
            "text/html, application/xhtml+xml, */*;q=0.8", "text/html;q=0, application/json;q=0.1", "nonsense",
            "application/json ;q=0.5, */*;q=0",
        ])
    func `in JSON`(header: String?) {
        #expect(AcceptHeader(header).allows(.json))
    }

    @Test(arguments: [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true), ("text/html", true), (nil, false),
        ("*/*", false), ("application/json", false), ("text/html, application/json", false), ("text/html;q=0", false),
        ("application/problem+json, text/html;q=0.5", false), ("text/*", false),
    ])
    func `as a page, when it is a browser`(header: String?, isBrowser: Bool) {
        #expect(AcceptHeader(header).isBrowser == isBrowser)
    }

    @Test func `by the first fifty ranges of its header, however long that is`() {
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
    func `in another format only`(header: String) {
        #expect(!AcceptHeader(header).allows(.json))
    }
}
