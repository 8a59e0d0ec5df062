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
        #expect(Acceptance(header).allows(.json))
    }

    @Test(
        arguments: [
            "text/html", "image/*", "application/xml, text/plain;q=0.5", "application/json;q=0",
            "*/*, application/json;q=0",
            "*/*;q=0", "application/jsonp", "application/json;q=0.000",
        ])
    func `in another format only`(header: String) {
        #expect(!Acceptance(header).allows(.json))
    }
}
