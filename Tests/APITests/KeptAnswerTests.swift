import HTTP
import Problems
import Testing

@testable import API

@Suite struct `A kept answer` {
    private func repeated(_ response: HTTPResponse) throws -> HTTPResponse {
        let kept = try #require(KeptAnswer(response))
        return try #require(KeptAnswer(repeating: kept.bytes)).response
    }

    @Test func `is replayed unchanged and marked as a repeat`() throws {
        let first = HTTPResponse(.created, headers: ["Content-Type": "application/json"], body: Array("{\n}\n".utf8))
        let second = try repeated(first)
        #expect(second.status == .created)
        #expect(second.headers["Content-Type"] == "application/json")
        #expect(second.headers["Idempotent-Replayed"] == "true")
        #expect(text(of: second) == "{\n}\n")
    }

    @Test func `has no body if the first answer had none`() throws {
        let second = try repeated(HTTPResponse(.noContent))
        #expect(second.status == .noContent)
        #expect(second.headers["Content-Type"] == nil)
        #expect(text(of: second).isEmpty)
    }

    @Test func `keeps its WWW-Authenticate header`() throws {
        let first = Problem(.otpInvalid).response(requestID: "r1")
        #expect(first.headers["WWW-Authenticate"] == "Bearer")
        #expect(try repeated(first).headers["WWW-Authenticate"] == "Bearer")
    }

    @Test func `names the ids of its request's path and body and of its own body, the path's first`() throws {
        func id(_ digit: String) -> String { "0000000\(digit)-0000-7000-8000-000000000000" }
        let kept = try #require(
            KeptAnswer(HTTPResponse(.created, body: Array(#"{"id":"\#(id("3"))","items":[{"x":"\#(id("1"))"}]}"#.utf8)))
        )
        let request = HTTPRequest(
            method: .post, path: "/v1/vaults/\(id("A"))/transfer", body: Array(#"{"nominee_id":"\#(id("2"))"}"#.utf8),
            id: "r1", receivedAt: 0)
        #expect(kept.subjects(of: request) == [id("a"), id("2"), id("3"), id("1")])
    }
}
