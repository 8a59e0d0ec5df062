import HTTP
import Testing

@Suite struct `The answer to a refusal` {
    @Test(arguments: [
        (HTTPRefusal.bodyTooLarge(limit: 1), 413), (.headersTooLarge(limit: 1), 431), (.uriTooLong(limit: 1), 414),
        (.malformed(reason: ""), 400), (.unsupportedTransferCoding, 501), (.unsupportedExpectation, 417),
        (.timedOut, 503), (.stopping, 503),
    ])
    func `has the status of the refusal`(refusal: HTTPRefusal, status: Int) {
        #expect(refusal.status.rawValue == status)
    }
}
