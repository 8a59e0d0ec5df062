import Testing

@testable import API

@Suite struct `A form with files` {
    private static let form = """
        preamble\r\n--b-1\r\nContent-Disposition: form-data; name="form"\r\n\r\ntoken\r\n\
        --b-1\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; name="files"; filename="a %22b%22.txt"\r\n\r\n\
        one\r\n--b-\r\n\r\n--b-2 is no end\r\n\
        --b-1\r\nContent-Disposition: form-data; name="files"; filename=""\r\n\r\n\r\n--b-1--\r\nepilogue
        """

    /// Reads the form in pieces of a size, and joins each part's content.
    private func read(_ text: String, by size: Int) throws -> [Multipart.Event]? {
        var parser = Multipart(boundary: "b-1")
        var events: [Multipart.Event] = []
        var rest = Array(text.utf8)[...]
        while true {
            switch try parser.next() {
            case .end: return events
            case .content(let piece):
                if case .content(let before) = events.last {
                    events[events.count - 1] = .content(before + piece)
                } else {
                    events.append(.content(piece))
                }
            case .some(let event): events.append(event)
            case nil:
                guard !rest.isEmpty else { return nil }
                parser.append(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
    }

    @Test func `is the same in whatever pieces it arrives`() throws {
        let expected: [Multipart.Event] = [
            .part(.init(name: "form", fileName: nil, type: nil)), .content(Array("token".utf8)), .endOfPart,
            .part(.init(name: "files", fileName: "a \"b\".txt", type: "text/plain")),
            .content(Array("one\r\n--b-\r\n\r\n--b-2 is no end".utf8)), .endOfPart,
            .part(.init(name: "files", fileName: "", type: nil)), .endOfPart,
        ]
        for size in 1...Self.form.utf8.count {
            #expect(try read(Self.form, by: size) == expected, "in pieces of \(size)")
        }
    }

    @Test func `has no end if its end is missing`() throws {
        for length in [0, 20, 60, 150, Self.form.utf8.count - "--\r\nepilogue".utf8.count] {
            #expect(try read(String(decoding: Self.form.utf8.prefix(length), as: UTF8.self), by: 7) == nil)
        }
    }

    @Test(arguments: [
        "--b-1\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--b-1--",
        "--b-1\r\nno field\r\n\r\nx\r\n--b-1--", "--b-1\r\n\r\nx\r\n--b-1--",
        "--b-1\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b-1--",
    ])
    func `is refused if a part has no name`(_ text: String) {
        #expect(throws: Multipart.Malformed.self) { try read(text, by: 5) }
    }

    @Test func `is refused if the head of a part never ends`() {
        let text = "--b-1\r\nX: " + String(repeating: "x", count: 20_000)
        #expect(throws: Multipart.Malformed.self) { try read(text, by: 1000) }
    }

    @Test func `says what separates its parts`() {
        #expect(
            Multipart.boundary(of: "multipart/form-data; boundary=----WebKitFormBoundaryX") == "----WebKitFormBoundaryX"
        )
        #expect(Multipart.boundary(of: "Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"") == nil)
        #expect(Multipart.boundary(of: "multipart/form-data;boundary=\"ab\"") == "ab")
        for type in ["multipart/form-data", "text/plain; boundary=x", "multipart/form-data; boundary=", nil] {
            #expect(Multipart.boundary(of: type) == nil)
        }
    }
}
