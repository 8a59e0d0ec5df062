import Foundation
import KithClient
import TestThreads
import Testing

/// The conditional, partial and coding fields of requests (RFC 9110 §8.4, §13, §14), on every kind of call.
@Suite(.mayBlock) struct `The fields of a request` {
    /// One request to a document whose ETag is `TAG`, with what must come.
    struct Case: Sendable, CustomTestStringConvertible {
        let call: String
        let fields: [String: String]
        let status: Int
        var testDescription: String { "\(call) \(fields)" }

        init(_ call: String, _ fields: [String: String], _ status: Int) {
            self.call = call
            self.fields = fields
            self.status = status
        }
    }

    static let other = "\"0e000000-0000-7000-8000-000000000001\""

    static let cases: [Case] = [
        // Replacing the content.
        Case("PUT document", [:], 200),
        Case("PUT document", ["Content-Range": "bytes 0-3/10"], 400),
        Case("PUT document", ["Content-Range": "bytes */10"], 400),
        Case("PUT document", ["Content-Range": "nonsense"], 400),
        Case("PUT document", ["If-Match": "TAG"], 200),
        Case("PUT document", ["If-Match": "*"], 200),
        Case("PUT document", ["If-Match": "\(other), TAG"], 200),
        Case("PUT document", ["If-Match": other], 412),
        Case("PUT document", ["If-Match": "W/TAG"], 412),
        Case("PUT document", ["If-Match": "nonsense"], 412),
        Case("PUT document", ["If-None-Match": "*"], 412),
        Case("PUT document", ["If-None-Match": "TAG"], 412),
        Case("PUT document", ["If-None-Match": "W/TAG"], 412),
        Case("PUT document", ["If-None-Match": "\(other), TAG"], 412),
        Case("PUT document", ["If-None-Match": other], 200),
        Case("PUT document", ["If-None-Match": "nonsense"], 200),
        Case("PUT document", ["If-Match": "TAG", "If-None-Match": "*"], 412),
        // There is no date of modification that they could be compared with (RFC 9110 §13.1.3, §13.1.4), and nothing to
        // select.
        Case("PUT document", ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], 200),
        Case("PUT document", ["If-Modified-Since": "Sun, 06 Nov 2094 08:49:37 GMT"], 200),
        Case("PUT document", ["Range": "bytes=0-3", "If-Range": other], 200),
        Case("PUT nothing", ["If-None-Match": "*"], 404),
        // A new document.
        Case("POST documents?name=Other", [:], 201),
        Case("POST documents?name=Other", ["If-None-Match": "*"], 201),
        Case("POST documents?name=Will.pdf", ["If-None-Match": "*"], 412),
        Case("POST documents?name=Will.pdf", ["If-None-Match": other], 201),
        Case("POST documents?name=Other", ["If-Match": "*"], 412),
        Case("POST documents?name=Other", ["If-Match": "TAG"], 412),
        Case("POST documents?name=Other", ["Content-Range": "bytes 0-3/10"], 400),
        // Changing what is about it.
        Case("PATCH document", ["If-Match": "TAG"], 200),
        Case("PATCH document", ["If-Match": other], 412),
        Case("PATCH document", ["If-None-Match": "nonsense"], 200),
        Case("DELETE document", ["If-Match": other], 412),
        Case("DELETE document", ["If-Match": "W/TAG"], 412),
        Case("DELETE document", ["If-Match": "TAG"], 204),
        Case("DELETE nothing", ["If-Match": "*"], 404),
        // Reading it.
        Case("GET content", ["If-Match": "TAG", "If-None-Match": other], 200),
        Case("GET content", ["If-Match": "W/TAG"], 412),
        Case("GET content", ["If-None-Match": "W/TAG"], 304),
        Case("GET content", ["If-None-Match": "*"], 304),
        Case("GET content", ["If-None-Match": "TAG", "Range": "bytes=0-3"], 304),
        Case("GET content", ["Range": "bytes=0-3"], 206),
        Case("GET content", ["Range": "bytes=0-3", "If-Range": "TAG"], 206),
        Case("GET content", ["Range": "bytes=0-3", "If-Range": "W/TAG"], 200),
        Case("GET content", ["Range": "bytes=0-3", "If-Range": "Sun, 06 Nov 2094 08:49:37 GMT"], 200),
        Case("GET content", ["Range": "bytes=10-"], 416),
        Case("GET content", ["Range": "bytes=3-1"], 200),
        Case("GET content", ["If-Modified-Since": "Sun, 06 Nov 2094 08:49:37 GMT"], 200),
        Case("HEAD content", ["Range": "bytes=0-3"], 200),
        Case("HEAD content", ["If-None-Match": "TAG"], 304),
        // Calls about what has no versions: they refuse what they cannot check, and read what they always read.
        Case("PATCH me", ["If-Match": "TAG"], 412),
        Case("PATCH me", ["If-Match": "*"], 200),
        Case("PATCH me", ["If-None-Match": "*"], 412),
        Case("PATCH me", ["If-None-Match": "TAG"], 200),
        Case("PATCH me", ["Content-Range": "bytes 0-3/10"], 400),
        Case("POST vaults", ["If-Match": "TAG"], 412),
        Case("POST vaults", ["If-None-Match": "*"], 412),
        Case("POST vaults", ["Content-Range": "bytes 0-3/10"], 400),
        Case("GET me", ["If-Match": "TAG", "If-None-Match": "*", "Range": "bytes=0-3"], 200),
        // Bodies in another form than they say.
        Case("PATCH me", ["Content-Encoding": "gzip"], 415),
        Case("PATCH me", ["Content-Encoding": "identity"], 200),
        Case("PATCH me", ["Content-Encoding": "Identity"], 200),
        Case("PATCH me", ["Content-Encoding": "gzip, identity"], 415),
        Case("PATCH me", ["Content-Encoding": "nonsense"], 415),
        Case("PATCH me", ["Content-Encoding": ""], 415),
        Case("PATCH me", ["Content-Type": "application/json; charset=utf-8"], 200),
        Case("PATCH me", ["Content-Type": "application/json;charset=\"UTF-8\""], 200),
        Case("PATCH me", ["Content-Type": "application/json; charset=latin1"], 415),
        Case("PATCH me", ["Content-Type": "application/jsonp"], 415),
        Case("PUT document", ["Content-Encoding": "gzip"], 415),
        Case("PUT document", ["Content-Encoding": "aes128gcm"], 415),
        Case("POST documents?name=Other", ["Content-Encoding": "gzip"], 415),
        Case("GET me", ["Accept": "application/json;q=0"], 406),
        Case("GET me", ["Accept": "application/json;q=0.000, */*"], 406),
        Case("GET me", ["Accept": "application/json;q=0.001"], 200),
    ]

    @Test(arguments: cases) func `decide as RFC 9110 says, or are refused`(one: Case) async throws {
        let (installation, _, client) = try shared.get()
        let archive = try await Archive(installation, client)
        let made = try await archive.add(Data("0123456789".utf8))
        let words = one.call.split(separator: " ").map(String.init)
        var headers = one.fields.mapValues { $0.replacing("TAG", with: "\"\(made.versionID.text)\"") }
        let (path, body): (String, String?) =
            switch words[1] {
            case "document": (archive.path(made), words[0] == "PATCH" ? #"{"name":"New.pdf"}"# : "new")
            case "nothing": ("\(archive.path)/\(UUID())", "new")
            case "content": (archive.path(made) + "/content", nil)
            case "me": ("/v1/me", words[0] == "PATCH" ? #"{"display_name":"Alice"}"# : nil)
            case "vaults": ("/v1/vaults", #"{"name":"More"}"#)
            default: ("/v1/vaults/\(archive.vault.id)/\(words[1])", "new")
            }
        if body == "new", words[0] != "DELETE" { headers["Content-Type"] = "text/plain" }
        let answer = try await client.send(
            words[0], path, words[0] == "DELETE" ? nil : body, as: archive.alice.token, headers: headers)
        #expect(answer.status == one.status, "\(answer.text)")
        // A refusal changes nothing.
        if one.status >= 400 {
            let content = try await archive.content(made)
            #expect(content.text == "0123456789")
            let list: Kith.DocumentPage = try await archive.alice.get("GET", archive.path)
            #expect(list.items == [made])
        }
    }

    @Test func `of OPTIONS for the server as a whole get 204 with the methods`() async throws {
        let (_, _, client) = try shared.get()
        let connection = try RawConnection(client)
        try connection.send(Array("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
        connection.read(1 << 20)
        #expect(connection.text.hasPrefix("HTTP/1.1 204 "))
        #expect(connection.text.contains("\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n"))
        let other = try RawConnection(client)
        try other.send(Array("TRACE /v1/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
        other.read(1 << 20)
        #expect(other.text.hasPrefix("HTTP/1.1 405 "))
    }
}
