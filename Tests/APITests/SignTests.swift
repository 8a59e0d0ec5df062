import Crypto
import Testing

@testable import API

@Suite struct `The token of a thing` {
    @Test func `names its tenant, and is found by its hash`() throws {
        let text = "42-0123456789abcdef0123456789abcdef"
        let token = try #require(SignToken(text))
        #expect(token.tenantID == 42)
        #expect(token.hash == sha256(Array(text.utf8)))
    }

    @Test(arguments: [
        "", "-", "42", "42-", "-0123456789abcdef0123456789abcdef", "042-0123456789abcdef0123456789abcdef",
        "42-0123456789ABCDEF0123456789abcdef", "42-0123456789abcdef0123456789abcde",
        "+42-0123456789abcdef0123456789abcdef",
        "42-0123456789abcdef0123456789abcdef-", "2147483648-0123456789abcdef0123456789abcdef",
        "99999999999-0123456789abcdef0123456789abcdef", "4２-0123456789abcdef0123456789abcdef",
    ])
    func `is refused in any other form, before the database is asked`(text: String) {
        #expect(SignToken(text) == nil)
    }
}

@Suite struct `Reports of a thing within a minute` {
    private let name = MergedReports.Name(hash: [1], isGet: false)

    @Test func `are merged until the minute ends`() {
        let reports = MergedReports()
        #expect(!reports.isMerged(name, at: 0))
        reports.merge(name, for: 60, at: 0)
        #expect(reports.isMerged(name, at: 59_999_999))
        #expect(!reports.isMerged(name, at: 60_000_000))
        #expect(!reports.isMerged(MergedReports.Name(hash: [1], isGet: true), at: 1))
        #expect(!reports.isMerged(MergedReports.Name(hash: [2], isGet: false), at: 1))
    }

    @Test func `are not merged by a clock that was set back`() {
        let reports = MergedReports()
        reports.merge(name, for: 60, at: 3_600_000_000)
        #expect(!reports.isMerged(name, at: 0))
    }

    @Test func `take bounded memory`() {
        let reports = MergedReports(limit: 2)
        reports.merge(name, for: 60, at: 0)
        reports.merge(MergedReports.Name(hash: [2], isGet: false), for: 10, at: 0)
        reports.merge(MergedReports.Name(hash: [3], isGet: false), for: 60, at: 20_000_000)
        #expect(reports.isMerged(name, at: 20_000_000))
        reports.merge(MergedReports.Name(hash: [4], isGet: false), for: 60, at: 20_000_000)
        #expect(!reports.isMerged(name, at: 20_000_000))
    }
}
