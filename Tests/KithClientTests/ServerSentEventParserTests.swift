import Foundation
import Testing

@testable import KithClient

@Suite("The parser of server-sent events") struct ServerSentEventParserTests {
    private static let stream =
        "retry: 1500\n\nid: 7-1\n:\n\nid: 7-2\nevent: ping\ndata: {\"a\":\ndata: \"Zoë 🔐\"}\n\n:\n\n"
    private static let event = ServerSentEvent(id: "7-2", type: "ping", data: Data("{\"a\":\n\"Zoë 🔐\"}".utf8))

    private static func read(_ text: String, by size: Int = .max, limit: Int = 1000) -> (
        ServerSentEventParser, [ServerSentEvent]
    ) {
        var parser = ServerSentEventParser(limit: limit)
        var events: [ServerSentEvent] = []
        var rest = Data(text.utf8)
        while !rest.isEmpty {
            events += parser.read(rest.prefix(size))
            rest = Data(rest.dropFirst(size))
        }
        return (parser, events)
    }

    @Test(arguments: [1, 2, 3, 5, 7, 1000], ["\n", "\r", "\r\n"])
    func `reads pieces of any size and lines with any end`(size: Int, end: String) {
        let (parser, events) = Self.read(Self.stream.replacing("\n", with: end), by: size)
        #expect(events == [Self.event])
        #expect(parser.lastEventID == "7-2")
        #expect(parser.retry == 1500)
    }

    @Test func `skips a byte order mark at the start, and only there`() {
        let (_, events) = Self.read("\u{FEFF}data: 1\n\n\u{FEFF}data: 2\n\ndata: 3\n\n", by: 1)
        #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["1", "3"])
        #expect(events.first?.type == "message")
    }

    @Test func `a comment moves the position, and an event without its end does not`() {
        let (parser, events) = Self.read("id: 1-1\n:\n\nid: 2-2\nevent: ping\ndata: {}\n")
        #expect(events.isEmpty)
        #expect(parser.lastEventID == "1-1")
    }

    @Test func `ignores ids with a zero, waits that are no numbers and unknown fields`() {
        let (parser, events) = Self.read("id: 1-1\n\nid: 2\0\nretry: -1\nretry: 1e3\nretry:\nscore: 5\ndata\n\n")
        #expect(parser.lastEventID == "1-1")
        #expect(parser.retry == nil)
        #expect(events == [ServerSentEvent(id: "1-1", type: "message", data: Data())])
    }

    @Test(arguments: [1, 13, .max])
    func `reports an event that is too large without its data, and reads on`(size: Int) {
        let long = String(repeating: "x", count: 60)
        let (parser, events) = Self.read(
            """
            id: 1\nevent: vault\ndata: \(long)\n\nid: 2\ndata: \(long.prefix(30))\ndata: \(long.prefix(30))\n\n: \
            \(long)\nid: 3\ndata: ok\n\n
            """,
            by: size, limit: 50)
        #expect(events.map(\.id) == ["1", "2", "3"])
        #expect(events.map(\.isTooLarge) == [true, true, false])
        #expect(events.map(\.data.count) == [0, 0, 2])
        #expect(parser.lastEventID == "3")
    }

    @Test func `keeps no more of a line than the limit`() {
        var parser = ServerSentEventParser(limit: 1000)
        for _ in 0..<10_000 { #expect(parser.read(Data(repeating: 65, count: 1000)).isEmpty) }
        #expect(parser.read(Data("\n\ndata: 1\n\n".utf8)).count == 1)
    }
}
