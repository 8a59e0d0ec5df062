import HTTP
import Problems
import Testing

@testable import API

@Suite struct `A Range header` {
    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-99", 0..<100), ("bytes=10-", 10..<100), ("bytes=-10", 90..<100),
            ("bytes=-1000", 0..<100), ("bytes=50-1000", 50..<100), ("BYTES=1-2", 1..<3), ("bytes= 1 - 2 ", 1..<3),
            ("bytes=99-99999999999999999999999", 99..<100), ("bytes=0-", 0..<100),
        ])
    func `selects a part of a hundred bytes`(header: String, part: Range<Int>) {
        #expect(ByteRange(header, of: 100) == .part(part))
    }

    @Test(
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "bytes=2-1", "bytes=0-1,3-4", "items=0-1",
            "bytes=--1", "bytes=1-2-3", "bytes=+1-2", "bytes=1.5-2",
        ])
    func `that is invalid or has several ranges selects everything`(header: String) {
        #expect(ByteRange(header, of: 100) == .whole)
        #expect(ByteRange(nil, of: 100) == .whole)
    }

    @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])
    func `beyond the end is not satisfiable`(header: String) {
        #expect(ByteRange(header, of: 100) == .unsatisfiable)
    }

    @Test func `for an empty document is not satisfiable`() {
        for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            #expect(ByteRange(header, of: 0) == .unsatisfiable)
        }
    }
}

@Suite struct `Entity tags` {
    @Test func `are read from a list`() throws {
        let tags = try #require(EntityTags(#""a", W/"b" ,"c""#))
        #expect(tags.strong == ["a", "c"])
        #expect(tags.weak == ["b"])
        #expect(tags.match("c", weakly: false))
        #expect(!tags.match("b", weakly: false))
        #expect(tags.match("b", weakly: true))
        #expect(!tags.match("d", weakly: true))
    }

    @Test func `of a star match any tag`() throws {
        #expect(try #require(EntityTags(" * ")).match("a", weakly: false))
        #expect(EntityTags(nil) == nil)
    }

    @Test(arguments: ["", "a", "\"", "\"a", "**", "W/", ",,"]) func `that are malformed match nothing`(header: String)
        throws
    {
        #expect(try !#require(EntityTags(header)).match("a", weakly: true))
    }
}

@Suite struct `A document's file name` {
    @Test(
        arguments: [
            ("Will.pdf", #"attachment; filename="Will.pdf"; filename*=UTF-8''Will.pdf"#),
            (
                "Über \"uns\".txt",
                #"attachment; filename="_ber _uns_.txt"; filename*=UTF-8''%C3%9Cber%20%22uns%22.txt"#
            ),
            ("🗝️", #"attachment; filename="__"; filename*=UTF-8''%F0%9F%97%9D%EF%B8%8F"#),
            ("..", #"attachment; filename="_"; filename*=UTF-8''_"#),
            ("Will.pdf. .", #"attachment; filename="Will.pdf"; filename*=UTF-8''Will.pdf"#),
            (
                "a\u{202E}fdp.exe",
                #"attachment; filename="a_fdp.exe"; filename*=UTF-8''a_fdp.exe"#
            ),
            (
                "../../etc;x=1/%00'\\",
                #"attachment; filename=".._.._etc_x=1__00'_"; filename*=UTF-8''.._.._etc%3Bx%3D1_%2500%27_"#
            ),
        ])
    func `is given in UTF-8 and in ASCII`(name: String, header: String) {
        #expect(Attachment.disposition(name) == header)
    }

    @Test func `is safe for file systems and headers, and keeps its extension`() {
        let long = Attachment.disposition(String(repeating: "ä", count: 251) + ".pdf")
        #expect(long.utf8.count < 1000)
        #expect(long.hasSuffix("%C3%A4.pdf"))
        #expect(Attachment.disposition(String(repeating: "👩‍👩‍👧‍👦", count: 23)).utf8.count < 1000)
    }
}

@Suite struct `A document's media type` {
    @Test(
        arguments: [
            "application/pdf", "text/plain; charset=utf-8", "text/plain;charset=\"utf-8\"", "image/svg+xml",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "x/y;", "x/y;; a=b",
            "x/y ; a=b ; c=\"\\\"\"",
        ])
    func `may be any valid one`(type: String) {
        #expect(ContentType.isValid(type))
    }

    @Test(
        arguments: [
            "", "pdf", "application/", "/pdf", "application/pdf; charset", "application/pdf; =x",
            "text/plain charset=x",
            "text/plain; a=\"b", "tëxt/plain", "text/plain; a=b c", "text//plain",
            "text/" + String(repeating: "x", count: 251),
        ])
    func `is refused if it is not valid`(type: String) {
        #expect(!ContentType.isValid(type))
    }

    @Test func `defaults to application octet-stream`() throws {
        let request = HTTPRequest(method: .post, path: "/", id: "x", receivedAt: 0)
        #expect(try ContentType.of(request) == "application/octet-stream")
    }
}
