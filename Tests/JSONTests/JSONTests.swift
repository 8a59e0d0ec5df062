import Testing

@testable import JSON

private func isRefused(_ text: String) -> Bool {
    do throws(InvalidJSON) {
        _ = try JSONDocument(Array(text.utf8))
        return false
    } catch {
        return !error.reason.isEmpty
    }
}

@Suite struct `A JSON body` {
    @Test(
        arguments: [
            "", "{", "{\"a\":1", "nonsense", "{\"a\":1}x", "{'a':1}", "{\"a\":01}", "\u{FEFF}{}",
            #"{"a":"\u0000"}"#, #"{"a":"\ud800"}"#, #"{"a":"\udc00\ud800"}"#, #"{"a":1,"a":2}"#,
            #"{"a":{"b":1,"b":2}}"#,
            #"{"a":1e999}"#, #"{"a":99999999999999999999}"#,
        ])
    func `that is not strictly JSON is refused`(text: String) {
        #expect(isRefused(text))
    }

    @Test(
        arguments: [
            (#"{"a":1,"a":2}"#, "has an object with the same member twice (line 1, column 10)", false),
            (#"{"a":1,"\u0061":2}"#, "has an object with the same member twice (line 1, column 15)", false),
            (#"{"a":1e999}"#, "has a number that is out of range (line 1, column 10)", true),
            (#"{"a":99999999999999999999}"#, "has a number that is out of range (line 1, column 25)", true),
            (#"{"a":"\u0000"}"#, "has the character U+0000 (line 1, column 13)", false),
            ("{\"a\":\n1,}", "is not valid JSON (line 2, column 3)", false),
            ("\u{FEFF}{}", "begins with a byte order mark, which JSON does not have", false),
        ])
    func `is refused for what is wrong with it`(text: String, reason: String, isOutOfRange: Bool) {
        do throws(InvalidJSON) {
            _ = try JSONDocument(Array(text.utf8))
            Issue.record("it was accepted")
        } catch {
            #expect(error.reason == reason)
            #expect(error.isOutOfRange == isOutOfRange)
        }
    }

    @Test(arguments: ["null", "true", "1", "\"a\"", " 1.5 "]) func `may be a single value`(text: String) throws {
        let root = try JSONDocument(Array(text.utf8)).root
        #expect(root.members.isEmpty && root.elements.isEmpty && root["a"] == nil)
        var errors: [FieldError] = []
        JSONSchema.object([]).check(root, at: "", into: &errors)
        #expect(errors == [FieldError(field: "", message: "must be an object")])
    }

    @Test(
        arguments: [
            "\u{200B}", "\u{FEFF}", "\u{2060}\u{200D}", "\u{00AD}", "\u{FE0F}", "\u{E0020}", "\u{3164}", "\u{115F}",
            "\u{2800}",
            "\u{202E}\u{202C}", "\u{0301}", " \u{00A0}\u{3000}", "\u{180E}", "\u{1D173}", "\n\t", "",
        ])
    func `text that shows nothing is blank`(text: String) {
        #expect(!TextFormat.text.accepts(text))
        #expect(!TextFormat.line.accepts(text))
    }

    @Test(arguments: ["a", "\u{200B}a", "é", "e\u{0301}", "👩‍👩‍👧", "🏳️", "ܐ", "漢", "हि", "\u{FFFD}", ".", "한", "❤\u{FE0F}"])
    func `text that shows something is not blank`(text: String) {
        #expect(TextFormat.text.accepts(text))
    }

    @Test func `with invalid UTF-8 is refused`() {
        #expect(throws: InvalidJSON.self) {
            try JSONDocument([UInt8](#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8))
        }
    }

    @Test func `may be nested 32 levels deep, and no deeper`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(!isRefused(nested(32)))
        #expect(isRefused(nested(33)))
        #expect(isRefused(nested(100_000)))
        #expect(isRefused(String(repeating: "{\"a\":", count: 33) + "1" + String(repeating: "}", count: 33)))
    }

    @Test func `may have up to the allowed number of values, and reading stops at the limit`() {
        func read(_ text: String) -> (values: Int, scanned: Int, isRefused: Bool) {
            var shape = JSONShape()
            do throws(InvalidJSON) {
                try shape.read(Array(text.utf8), maximumDepth: 32, maximumValues: 1000)
                return (shape.values, shape.scanned, false)
            } catch {
                return (shape.values, shape.scanned, true)
            }
        }
        func keys(_ count: Int) -> String { "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}" }
        let fits = read(keys(998))
        #expect(!fits.isRefused && fits.values == 999 && fits.scanned == keys(998).utf8.count)
        // Ten and a hundred times the limit cost the same: nothing behind the limit is scanned.
        let over = [10_000, 100_000].map { read(keys($0)) }
        #expect(over.allSatisfy { $0.isRefused && $0.scanned == over[0].scanned })
        #expect(over[0].scanned < keys(1100).utf8.count)
        #expect(!read(#"{"a":"[[,,{{\",,"}"#).isRefused)
        #expect(read(#"{"a":"[[,,{{\",,"}"#).values == 2)
    }

    @Test func `is parsed without loss`() throws {
        let document = try JSONDocument(Array(#"{"b":"é\n","a":[1,2.5,true,null],"c":{}}"#.utf8))
        #expect(document.root.members.map(\.name) == ["b", "a", "c"])
        #expect(document.root["b"]?.string == "é\n")
        #expect(document.root["a"]?.elements.map(\.kind) == [.integer, .real, .boolean, .null])
        #expect(document.root["missing"] == nil)
    }
}

@Suite struct `A JSON schema` {
    let schema = JSONSchema.object([
        .init("name", .string(.line, length: 1...5), required: true),
        .init("age", .integer(0...150)),
        .init("role", .oneOf(["sender", "receiver"])),
        .init("tags", .array(of: .string(.line, length: 1...3), count: 0...2)),
        .init("on", .boolean),
        .init("id", .nullable(.string(.uuid))),
    ])

    private func errors(_ text: String) throws -> [String] {
        let document = try JSONDocument(Array(text.utf8))
        var errors: [FieldError] = []
        schema.check(document.root, at: "", into: &errors)
        return errors.map { "\($0.field) \($0.message)" }
    }

    @Test func `accepts valid values`() throws {
        #expect(
            try errors(
                #"{"name":"Alice","age":30,"role":"sender","tags":["a"],"on":false,"id":null}"#) == [])
    }

    @Test func `names every fault`() throws {
        #expect(
            try errors(#"{"age":"x","role":"owner","tags":["a","b","c"],"on":1,"id":"x","more":1}"#) == [
                "name is required", "age must be an integer", "role must be one of sender, receiver",
                "tags must have 0 to 2 elements, and has 3", "on must be true or false", "id must be a UUID",
                "more is not a known field",
            ])
    }

    @Test func `with equal bounds gives a single number in its message`() {
        #expect(JSONSchema.objection(to: "ABC", .opaque, 10...10) == "must have 10 characters, and has 3")
        #expect(JSONSchema.objection(to: "ABC", .opaque, 4...10) == "must have 4 to 10 characters, and has 3")
    }

    @Test func `gives the position in an array`() throws {
        #expect(
            try errors(#"{"name":"A","tags":["ok","much too long"]}"#) == [
                "tags[1] must have 1 to 3 characters, and has 13"
            ])
    }

    @Test func `counts characters, not bytes`() throws {
        #expect(try errors(#"{"name":"ÄÖÜẞé"}"#) == [])
    }

    @Test func `requires an object`() throws {
        #expect(try errors("[]") == [" must be an object"])
    }

    @Test func `refuses an integer out of range`() throws {
        #expect(try errors(#"{"name":"A","age":151}"#) == ["age must be from 0 to 150"])
        #expect(try errors(#"{"name":"A","age":1.5}"#) == ["age must be an integer"])
    }
}

@Suite struct `A schema of several shapes` {
    private static let shapes: [JSONSchema] = [
        .component(
            JSONComponent(
                name: "User",
                schema: .object([
                    .init("kind", .oneOf(["user"]), required: true),
                    .init("name", .string(.line, length: 1...5), required: true),
                ]))),
        .object([
            .init(
                "kind", .component(JSONComponent(name: "VaultKind", schema: .oneOf(["vault", "safe"]))), required: true),
            .init("owner", .string(.uuid), required: true),
        ]),
    ]

    private func errors(_ text: String, tag: String? = "kind") throws -> [String] {
        let document = try JSONDocument(Array(text.utf8))
        var errors: [FieldError] = []
        JSONSchema.union(Self.shapes, tag: tag).check(document.root, at: "", into: &errors)
        return errors.map { "\($0.field) \($0.message)" }
    }

    @Test func `accepts each of them`() throws {
        for text in [
            #"{"kind":"user","name":"Alice"}"#, #"{"kind":"vault","owner":"0190163d-8694-739b-aea5-966c26f8ad91"}"#,
            #"{"kind":"safe","owner":"0190163d-8694-739b-aea5-966c26f8ad91"}"#,
        ] {
            #expect(try errors(text) == [])
            #expect(try errors(text, tag: nil) == [])
        }
    }

    @Test func `names the faults of the shape that the value claims to have`() throws {
        #expect(try errors(#"{"kind":"vault","name":"Papers"}"#) == ["owner is required", "name is not a known field"])
        #expect(try errors(#"{"kind":"user"}"#) == ["name is required"])
    }

    @Test func `says which shapes there are if the value claims none of them`() throws {
        #expect(try errors(#"{"kind":"boat"}"#) == ["kind must be one of user, vault, safe"])
        #expect(try errors(#"{"kind":7}"#) == ["kind must be one of user, vault, safe"])
        #expect(try errors("{}") == ["kind is required"])
        #expect(try errors("[]") == [" must be an object"])
    }
}

@Suite struct `A text format` {
    @Test(arguments: [
        (TextFormat.code, "123456", true), (.code, "12345", false), (.code, "1234567", false), (.code, "12345a", false),
        (.code, "١٢٣٤٥٦", false), (.code, "１２３４５６", false), (.code, " 123456", false),
        (.uuid, "0190163d-8694-739b-aea5-966c26f8ad91", true), (.uuid, "0190163D-8694-739B-AEA5-966C26F8AD91", true),
        (.uuid, "0190163d8694739baea5966c26f8ad91", false), (.uuid, "{0190163d-8694-739b-aea5-966c26f8ad91}", false),
        (.date, "2028-02-29", true), (.date, "2027-02-29", false), (.date, "2100-02-29", false),
        (.date, "2026-13-01", false),
        (.date, "0000-01-01", false), (.date, "1899-12-31", false), (.date, "1900-01-01", true),
        (.date, "9999-12-31", true),
        (.date, "10000-01-01", false), (.date, "infinity", false), (.date, "today", false), (.date, "2026-1-1", false),
        (.timeOfDay, "00:00", true), (.timeOfDay, "23:59", true), (.timeOfDay, "24:00", false),
        (.timeOfDay, "9:00", false),
        (.timeOfDay, "09:00:00", false),
        (.instant, "2026-11-21T09:00:00Z", true), (.instant, "2026-11-21T09:00:00.123456+01:00", true),
        (.instant, "2026-11-21T09:00:00+15:59", true), (.instant, "2026-11-21T09:00:00-15:59", true),
        (.instant, "2026-11-21T09:00:00+16:00", false), (.instant, "2026-11-21T09:00:00-23:59", false),
        (.instant, "2026-11-21 09:00:00Z", false), (.instant, "2026-11-21T09:00:00", false),
        (.instant, "2026-11-21T25:00:00Z", false), (.instant, "infinity", false), (.instant, "now", false),
        (.instant, "-infinity", false), (.instant, "epoch", false), (.instant, "0001-01-01T00:00:00Z", false),
        (.instant, "294276-01-01T00:00:00Z", false), (.instant, "2026-11-21T09:00:00Z BC", false),
        (.phone, "+4915112345678", true), (.phone, "015112345678", false), (.phone, "+0151", false),
        (.phone, "+49 151", false), (.phone, "+49 151 12345678", false),
        (.writtenPhone, "+49 (0)151 / 1234-5678", true), (.writtenPhone, "0151 12345678", false),
        (.writtenPhone, "+999123456789", false), (.writtenPhone, "", false),
        (.reportedPhone, "nobody", true),
        (.email, "alice@example.com", true), (.email, "alice", false), (.email, "a@b@c", false),
        (.email, "a b@c", false), (.email, "rené@xn--bcher-kva.example", true), (.email, "a@bücher.example", false),
        (.email, "a@gma\u{130}l.com", false), (.email, "a@\u{FF47}mail.com", false),
        (.email, "a@\u{212A}ith.app", false),
        (.email, "a@b.example.", false), (.email, "a\u{FF20}b.example", false), (.email, "a@b\u{FF0E}example", false),
        (.email, "a@b.c\u{200B}", false), (.email, "\"a b\"@c.d", false), (.email, "a@b, c@d", false),
        (.email, "@", false),
        (.line, "Zoë 👵🏽", true), (.line, "  ", false), (.line, "", false), (.line, "a\nb", false),
        (.line, "a\u{0}b", false),
        (.text, "a\nb", true), (.text, "a\u{7}b", false),
    ])
    func `accepts valid texts and nothing else`(format: TextFormat, text: String, accepted: Bool) {
        #expect(format.accepts(text) == accepted)
    }

    @Test func `gives phone numbers their E.164 form`() {
        #expect(TextFormat.writtenPhone.normalized("+44 (0)7700 900123") == "+447700900123")
        #expect(TextFormat.reportedPhone.normalized("+44 (0)7700 900123") == "+447700900123")
        #expect(TextFormat.reportedPhone.normalized("+999123456789") == "")
        #expect(TextFormat.line.normalized("+44 (0)7700 900123") == "+44 (0)7700 900123")
    }

    @Test func `is applied to all of a body's texts, wherever they are`() throws {
        let person = JSONSchema.object([
            .init("phone", .nullable(.string(.writtenPhone))), .init("name", .string(.line)),
            .init("age", .integer(0...150)),
        ])
        let cat = JSONSchema.object([.init("kind", .oneOf(["cat"])), .init("number", .string(.line))])
        let dog = JSONSchema.object([.init("kind", .oneOf(["dog"])), .init("number", .string(.writtenPhone))])
        let schema = JSONSchema.object([
            .init("people", .array(of: person, count: 0...9)), .init("pet", .union([cat, dog], tag: "kind")),
        ])
        let body = #"""
            {"people":[{"phone":"0044 7700 900123","name":"\"é","age":7},{"phone":null}],"pet":{"kind":"dog","number":"tel:+44-7700-900123"}}
            """#
        #expect(schema.hasNormalizedTexts && !cat.hasNormalizedTexts)
        #expect(
            String(decoding: schema.normalized(try JSONDocument(Array(body.utf8)).root), as: UTF8.self) == #"""
                {"people":[{"phone":"+447700900123","name":"\"é","age":7},{"phone":null}],"pet":{"kind":"dog","number":"+447700900123"}}
                """#)
    }
}

@Suite struct `The JSON writer` {
    @Test func `writes separators and escapes`() throws {
        var json = JSONWriter()
        json.object { json in
            json.field("a", "\"\\\n\u{1}é")
            json.array("b", [1, 2]) { json, number in json.object { $0.field("n", number) } }
            json.object("c") { _ in }
            json.field("d", true)
        }
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"{"a":"\"\\\n\u0001é","b":[{"n":1},{"n":2}],"c":{},"d":true}"#)
    }
}
