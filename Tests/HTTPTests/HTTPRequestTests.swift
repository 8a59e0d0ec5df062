import HTTP
import Testing

@Suite struct `A request` {
    private func query(_ text: String) -> [String] {
        HTTPRequest(method: .get, path: "/", queryText: text, id: "1", receivedAt: 0).query
            .map { "\($0.name)=\($0.value)" }
    }

    @Test func `keeps its query parameters in order, with duplicates`() {
        #expect(query("b=1&a=2&b=3") == ["b=1", "a=2", "b=3"])
    }

    @Test func `decodes its query parameters like a form`() {
        #expect(query("na%6De=a+b%2Bc&q=%C3%A4&x%3Dy=1%262") == ["name=a b+c", "q=ä", "x=y=1&2"])
    }

    @Test func `reads missing names and values in the query as empty`() {
        #expect(query("") == [])
        #expect(query("&&a&=b&c=&") == ["a=", "=b", "c="])
        #expect(query("a=b=c") == ["a=b=c"])
    }

    @Test func `keeps broken escapes and repairs invalid UTF-8`() {
        #expect(query("a=%&b=%4&c=%zz&d=100%") == ["a=%", "b=%4", "c=%zz", "d=100%"])
        #expect(query("a=%FF") == ["a=\u{FFFD}"])
    }

    @Test func `says which parameters of its query are not UTF-8`() {
        let request = HTTPRequest(
            method: .get, path: "/", queryText: "a=%FF&%C3=b&c=%C3%A4&d=%ED%A0%80&e=%EF%BF%BD", id: "1", receivedAt: 0)
        #expect(request.query.map(\.isUTF8) == [false, false, true, false, true])
    }

    @Test func `finds header fields in any case`() {
        let request = HTTPRequest(
            method: .get, path: "/", headers: ["Authorization": "Bearer a", "accept": "text/html"], id: "1",
            receivedAt: 0)
        #expect(request.header("authorization") == "Bearer a")
        #expect(request.header("ACCEPT") == "text/html")
        #expect(request.header("Accept-Language") == nil)
    }
}
