import Foundation
import Testing

@testable import KithCalls

@Suite struct `An instant` {
    @Test(arguments: ["2026-11-21T09:00:00.123456Z", "2026-11-21T09:00:00Z", "1969-12-31T23:59:59.999999Z"])
    func `is read and written to the microsecond`(text: String) throws {
        let date = try #require(Instant.date(text))
        #expect(Instant.text(date) == text)
    }

    @Test func `has the zone that it names`() throws {
        let date = try #require(Instant.date("2026-11-21T10:00:00.5+01:00"))
        #expect(Instant.text(date) == "2026-11-21T09:00:00.500000Z")
    }

    @Test(arguments: ["", "2026-11-21", "2026-11-21T09:00:00", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z", "now"])
    func `is nothing else`(text: String) {
        #expect(Instant.date(text) == nil)
    }
}
