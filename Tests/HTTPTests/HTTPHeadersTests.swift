import Testing

@testable import HTTP

@Suite struct `Header fields` {
    @Test func `keep their order and duplicates`() {
        var headers: HTTPHeaders = ["Vary": "Origin", "Set-Cookie": "a=1", "Empty": ""]
        headers.add("set-cookie", "b=2")
        #expect(
            headers.fields.map { "\($0.name): \($0.value)" } == [
                "Vary: Origin", "Set-Cookie: a=1", "Empty: ", "set-cookie: b=2",
            ])
        #expect(headers["SET-COOKIE"] == "a=1")
        #expect(headers["Empty"] == "")
    }

    @Test func `find a cookie by its name, wherever it stands`() {
        var headers: HTTPHeaders = ["Cookie": (0..<300).map { "other\($0)=\($0)" }.joined(separator: "; ")]
        headers.add("cookie", " not_kith=1;kith = 2; kithkith=3;KITH=4; kith;kith=a=b ;kith=5")
        #expect(headers.cookie("kith") == "a=b")
        #expect(headers.cookie("other299") == "299")
        #expect(headers.cookie("other300") == nil && HTTPHeaders().cookie("kith") == nil)
    }

    @Test func `are empty at first`() {
        #expect(HTTPHeaders().fields.isEmpty)
        #expect(HTTPHeaders()["Host"] == nil)
    }

    @Test func `replace line breaks and NUL in a value, and nothing else`() {
        let headers: HTTPHeaders = ["Location": "/a\r\nSet-Cookie: b\u{0}c\td ä"]
        #expect(headers["Location"] == "/a  Set-Cookie: b c\td ä")
        #expect(headers.fields.count == 1)
    }

    @Test func `accept strings that are not stored as contiguous UTF-8`() {
        let name = "X-" + String(repeating: "long-name-", count: 4)
        var headers = HTTPHeaders()
        headers.add(String(Substring("<\(name)>").dropFirst().dropLast()), String("cba".reversed()))
        #expect(headers[name] == "abc")
    }

    @Test func `with similar names are distinguished`() {
        let headers: HTTPHeaders = ["X-A": "1", "X-AB": "2", "X_A": "3", "X-^": "4", "X-~": "5"]
        #expect(headers["x-a"] == "1")
        #expect(headers["x-ab"] == "2")
        #expect(headers["x_a"] == "3")
        // Only letters are equal to the ASCII character 32 places on; other characters are not.
        #expect(headers["X-~"] == "5")
    }

    @Test(arguments: ["", "a b", "a:", "a\n", "ä"]) func `have names that consist of token characters`(name: String) {
        #expect(name.isEmpty || !name.utf8.allSatisfy(HTTPHeaders.isTokenByte))
    }

    @Test func `with the same name form one list`() {
        let headers: HTTPHeaders = [
            "Accept": "a/b, c/d", "X-Forwarded-For": "192.0.2.1", "accept": "e/f", "ACCEPT": "",
        ]
        #expect(headers.list("Accept") == "a/b, c/d, e/f, ")
        #expect(headers.list("x-forwarded-for") == "192.0.2.1")
        #expect(headers.list("If-Match") == nil)
    }
}
