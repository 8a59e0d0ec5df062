import Testing

@testable import JSON

@Suite struct `A body that refuses nothing` {
    private static let schema = JSONSchema.object([
        .init("note", .nullable(.string(.text, length: 1...5))), .init("count", .integer(1...3)),
        .init("place", .nullable(.object([.init("x", .integer(0...9), required: true), .init("y", .integer(0...9))]))),
    ])

    @Test(
        arguments: [
            (#"{"note":"Help"}"#, #"{"note":"Help"}"#), (#"{"note":null}"#, #"{"note":null}"#), ("{}", "{}"),
            (#"{"note":"Help me"}"#, #"{"note":"Help "}"#), (#"{"note":1,"count":2}"#, #"{"count":2}"#),
            (#"{"note":"abc\r\n\u0007d"}"#, #"{"note":"abc\nd"}"#), (#"{"note":" \t "}"#, "{}"),
            (#"{"note":""}"#, "{}"), (#"{"colour":"blue","note":"Help"}"#, #"{"note":"Help"}"#),
            (#"{"count":4,"note":"Help"}"#, #"{"note":"Help"}"#), ("[]", "{}"), ("1", "{}"),
            // A character is kept or left out as a whole.
            (#"{"note":"abcd👩‍🚒"}"#, #"{"note":"abcd"}"#),
            (#"{"place":{"x":1,"y":99}}"#, #"{"place":{"x":1}}"#),
            (#"{"place":{"x":99,"y":1},"count":1}"#, #"{"count":1}"#),
        ])
    func `is used as far as it is as described`(body: String, usable: String) throws {
        let document = try JSONDocument(Array(body.utf8))
        #expect(Self.schema.forgiven(document.root).map { String(decoding: $0, as: UTF8.self) } == usable)
    }
}
