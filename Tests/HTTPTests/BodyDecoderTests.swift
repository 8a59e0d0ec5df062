import Testing

@testable import HTTP

@Suite struct `The body decoder` {
    /// Decodes a body that arrives in pieces of `step` bytes; its content, and the number of bytes that belong to it.
    private func decode(_ text: String, step: Int, _ start: BodyDecoder = .chunked) throws -> (String, taken: Int) {
        var decoder = start
        var content: [UInt8] = []
        var taken = 0
        let bytes = Array(text.utf8)
        while taken < bytes.count, !decoder.isDone {
            let piece = Array(bytes[taken..<min(taken + step, bytes.count)])
            taken += try piece.withUnsafeBytes { try decoder.decode($0) { content += $0 } }
        }
        #expect(decoder.isDone)
        return (String(decoding: content, as: UTF8.self), taken)
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func `decodes the same content from pieces of any size`(step: Int) throws {
        let chunks = "5;a=\"b;c\"\r\nHello\r\n00B \t; d\r\n, \r\n;world;\r\n0;last\r\nX-Trailer: 1\r\nY:\r\n\r\n"
        let (content, taken) = try decode(chunks + "GET /next", step: step)
        #expect(content == "Hello, \r\n;world;")
        #expect(taken >= chunks.utf8.count && taken <= chunks.utf8.count)
    }

    @Test func `consumes exactly the declared length`() throws {
        let (content, taken) = try decode("HelloGET /next", step: 3, BodyDecoder(length: 5))
        #expect(content == "Hello")
        #expect(taken == 5)
        #expect(BodyDecoder(length: 0).isDone)
    }

    @Test func `accepts many small chunks`() throws {
        let (content, _) = try decode(String(repeating: "1\r\nx\r\n", count: 20_000) + "0\r\n\r\n", step: 4096)
        #expect(content.utf8.count == 20_000)
    }

    @Test func `limits chunk extensions and trailers to some kilobytes`() throws {
        func chunks(_ size: Int) -> [String] {
            let long = String(repeating: "x", count: size)
            return [
                "1;\(long)\r\nx\r\n0\r\n\r\n", "0\r\nX: \(long)\r\n\r\n",
                String(repeating: "0", count: size) + "\r\n\r\n",
            ]
        }
        for chunks in chunks(8000) { _ = try decode(chunks, step: 1000) }
        for chunks in chunks(8200) { #expect(throws: HTTPRefusal.self) { try decode(chunks, step: 1000) } }
    }
}
