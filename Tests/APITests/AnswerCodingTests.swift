import HTTP
import Testing

@testable import API

@Suite struct AnswerCodingTests {
    @Test(arguments: [
        ("gzip", true), ("br, gzip;q=0.5", true), ("gzip; q=0", false), ("*", true), ("*;q=0", false),
        ("gzip;q=0, *", false), ("deflate, br", false), ("identity", false), ("GZIP", true), ("gzip;q=x", false),
        ("", false),
    ]) func `the client's Accept-Encoding decides`(header: String, isAccepted: Bool) {
        #expect(AnswerCoding.accepts(header) == isAccepted)
    }

    @Test func `a client without Accept-Encoding gets the body as it is`() {
        #expect(!AnswerCoding.accepts(nil))
    }
}
