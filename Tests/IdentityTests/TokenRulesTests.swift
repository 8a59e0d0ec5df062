import Crypto
import Requests
import Testing

@testable import Identity

@Suite struct `A token's claims` {
    let rules = TokenRules(tenantID: 7, own: true, issuer: "kith", audience: "acme")
    let good = JWT.Claims(iss: "kith", aud: ["acme"], sub: "alice", tid: 7, iat: 1000, exp: 2000)

    private func objection(at now: Double = 1500, _ change: (inout JWT.Claims) -> Void = { _ in }) -> String? {
        var claims = good
        change(&claims)
        return rules.objection(to: claims, at: now)
    }

    @Test func `are accepted if all of them are valid`() {
        #expect(objection() == nil)
    }

    @Test func `are refused for another issuer, audience or tenant`() {
        #expect(objection { $0.iss = "globex" } != nil)
        #expect(objection { $0.aud = ["globex"] } != nil)
        #expect(objection { $0.tid = 8 } != nil)
        #expect(objection { $0.tid = nil } != nil)
    }

    @Test func `expire on the second and are not valid early`() {
        #expect(objection(at: 1999.999) == nil)
        #expect(objection(at: 2000) != nil)
        #expect(objection(at: 996) == nil)
        #expect(objection(at: 994) != nil)
        #expect(objection(at: 1500) { $0.nbf = 1600 } != nil)
        #expect(objection(at: 1500) { ($0.nbf, $0.iat) = (1000, 1600) } != nil, "it outlives a sign-out everywhere")
    }

    @Test func `need no tenant if the tenant's own provider signed them`() {
        let rules = TokenRules(tenantID: 7, own: false, issuer: "https://id.acme.example", audience: "acme")
        let claims = JWT.Claims(
            iss: "https://id.acme.example", aud: ["acme"], sub: "a-1", tid: nil, iat: 1000, exp: 2000)
        #expect(rules.objection(to: claims, at: 1500) == nil)
    }

    @Test func `are refused if issued before the user signed out everywhere`() {
        var claims = good
        #expect(TokenRules.counts(claims, validFrom: 1_000_900_000))
        #expect(!TokenRules.counts(claims, validFrom: 1_001_000_000))
        #expect(TokenRules.counts(claims, validFrom: nil))
        // A provider's token without `iat` may be up to a day old.
        claims.iat = nil
        claims.exp = 1_000_000
        #expect(TokenRules.counts(claims, validFrom: 913_600_000_000))
        #expect(!TokenRules.counts(claims, validFrom: 913_601_000_000))
        claims.nbf = 950_000
        #expect(TokenRules.counts(claims, validFrom: 950_000_000_000))
    }

    @Test func `must include iat unless the token expires within a day`() {
        let rules = TokenRules(tenantID: 7, own: false, issuer: "https://id.acme.example", audience: "acme")
        var claims = good
        claims.iss = "https://id.acme.example"
        claims.iat = nil
        claims.exp = 100_000
        #expect(rules.objection(to: claims, at: 13_600) == nil)
        #expect(rules.objection(to: claims, at: 13_599) != nil)
        #expect(objection { $0.iat = nil } != nil)
    }
}

@Suite struct `The credential cache` {
    @Test func `returns what was found about exactly this credential until it expires`() {
        let cache = CredentialCache()
        let caller = Caller(tenantID: 7, slug: "acme", kind: .user(id: "alice", session: nil))
        let session = CredentialCache.Session(caller: caller, status: "active", checkedAt: 0)
        cache.insert(session, for: .init(of: "acme\na"), until: 60, at: 0)
        #expect(cache.session(for: .init(of: "acme\na"), at: 59.9)?.caller === caller)
        #expect(cache.session(for: .init(of: "acme\nb"), at: 59.9) == nil)
        #expect(cache.session(for: .init(of: "globex\na"), at: 59.9) == nil)
        #expect(cache.session(for: .init(of: "acme\na"), at: 60) == nil)
    }

    @Test func `returns a value only until it expires`() {
        var cache = ExpiringCache<String, Int>(capacity: 10, life: 60)
        cache.insert(1, for: "a", until: 60, at: 0)
        #expect(cache.value(for: "a", at: 59.9) == 1)
        #expect(cache.value(for: "a", at: 60) == nil)
    }

    @Test func `forgets what it stored by the time of a clock that was set back`() {
        var cache = ExpiringCache<String, Int>(capacity: 10, life: 60)
        cache.insert(1, for: "ahead", until: 3660, at: 3600)
        // Requests are not answered in the order in which their heads arrived.
        #expect(cache.value(for: "ahead", at: 3585) == 1)
        #expect(cache.value(for: "ahead", at: 0) == nil)
        cache.insert(2, for: "now", until: 60, at: 0)
        #expect(cache.value(for: "now", at: 59) == 2)
        #expect(cache.value(for: "ahead", at: 3605) == nil)
    }

    @Test func `hands over what it drops`() {
        var cache = ExpiringCache<String, Int>(capacity: 10, life: 60)
        var dropped: [ExpiringCache<String, Int>.Entries] = []
        cache.insert(1, for: "a", until: 60, at: 0, dropping: &dropped)
        #expect(cache.value(for: "a", at: 60, dropping: &dropped) == nil)
        #expect(dropped.isEmpty)
        #expect(cache.value(for: "a", at: 120, dropping: &dropped) == nil)
        #expect(dropped.map { Array($0.keys) } == [["a"]])
    }

    @Test func `never exceeds its capacity`() {
        var cache = ExpiringCache<String, Int>(capacity: 10, life: 60)
        for number in 0..<1000 { cache.insert(number, for: "\(number)", until: 60, at: 0) }
        #expect(cache.count <= 10)
        #expect((0..<1000).count { cache.value(for: "\($0)", at: 1) != nil } <= 10)
        #expect(cache.value(for: "999", at: 1) == 999)
    }

    @Test func `drops expired values as it is used, not only when it is full`() {
        var cache = ExpiringCache<Int, Int>(capacity: 1000, life: 60)
        for second in 0..<600 {
            let now = Double(second)
            cache.insert(second, for: second, until: now + 60, at: now)
            #expect(cache.value(for: max(second - 59, 0), at: now) != nil)
            #expect(cache.count <= 120)
        }
        #expect(cache.value(for: 599, at: 720) == nil)
        #expect(cache.isEmpty)
    }
}
