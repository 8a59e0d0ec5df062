import Crypto
import Testing

@testable import API

@Suite struct `A shift at the desk` {
    private static let key = try! MasterKey(text: String(repeating: "ab", count: 32))
    private static let noon: Int64 = 1_804_579_200_000_000
    private static let hour: Int64 = 3_600_000_000

    @Test func `ends after 12 hours`() throws {
        let shift = DeskShift(key: "kith_sk_1", person: "Dana", at: Self.noon)
        let cookie = "acme.\(try shift.sealed(Self.key))"
        let found = try #require(DeskShift(cookie, at: Self.noon + 12 * Self.hour - 1, Self.key))
        #expect(found.key == "kith_sk_1" && found.person == "Dana" && found.began == Self.noon)
        #expect(found.secret == shift.secret)
        #expect(DeskShift(cookie, at: Self.noon + 12 * Self.hour, Self.key) == nil)
    }

    @Test func `is nobody's whose cookie was changed or sealed by another`() throws {
        let cookie = "acme.\(try DeskShift(key: "kith_sk_1", person: "Dana", at: Self.noon).sealed(Self.key))"
        for other in [nil, "", "acme.", "acme.AAAA", String(cookie.dropLast()), cookie + "A"] as [String?] {
            #expect(DeskShift(other, at: Self.noon, Self.key) == nil, "\(other ?? "none")")
        }
        #expect(DeskShift(cookie, at: Self.noon, try MasterKey(text: String(repeating: "cd", count: 32))) == nil)
    }

    @Test func `has forms of its own`() {
        let secrets = [
            ("kith_sk_1", "Dana", 0), ("kith_sk_2", "Dana", 0), ("kith_sk_1", "Erik", 0), ("kith_sk_1", "Dana", 1),
        ]
        .map { DeskShift(key: $0, person: $1, at: Self.noon + $2).secret }
        #expect(Set(secrets).count == 4)
    }
}
