import NetworkAddresses
import Testing

@testable import API

@Suite struct `A request rate limit` {
    @Test func `allows a burst, then a number of requests per second`() {
        var rate = RequestRate<String>(rate: 10, burst: 5)
        for _ in 0..<5 { #expect(rate.admit("alice", at: 100) == nil) }
        let wait = rate.admit("alice", at: 100)
        #expect(wait.map { abs($0 - 0.1) < 1e-6 } == true)
        #expect(rate.admit("alice", at: 100.1) == nil)
        #expect(rate.admit("alice", at: 100.1) != nil)
    }

    @Test func `counts each key separately`() {
        var rate = RequestRate<String>(rate: 1, burst: 1)
        #expect(rate.admit("alice", at: 0) == nil)
        #expect(rate.admit("bob", at: 0) == nil)
        #expect(rate.admit("alice", at: 0) != nil)
    }

    @Test func `never saves up more than the burst`() {
        var rate = RequestRate<String>(rate: 10, burst: 3)
        #expect(rate.admit("alice", at: 0) == nil)
        #expect((0..<10).count { _ in rate.admit("alice", at: 1_000_000) == nil } == 3)
    }

    @Test func `is not used up by refused requests`() {
        var rate = RequestRate<String>(rate: 1, burst: 1)
        #expect(rate.admit("alice", at: 0) == nil)
        for _ in 0..<100 { #expect(rate.admit("alice", at: 0.5) != nil) }
        #expect(rate.admit("alice", at: 1) == nil)
    }

    @Test func `forgets keys whose credit is full`() {
        var rate = RequestRate<Int>(rate: 10, burst: 10)
        for key in 0..<1000 { _ = rate.admit(key, at: 100) }
        #expect(rate.count == 1000)
        _ = rate.admit(-1, at: 200)
        #expect(rate.count == 1)
    }

    @Test func `refuses nobody because of requests before the clock was set back`() {
        var rate = RequestRate<String>(rate: 1, burst: 3)
        for _ in 0..<3 { #expect(rate.admit("alice", at: 3600) == nil) }
        #expect(rate.admit("alice", at: 3600) != nil)
        #expect((0..<10).count { _ in rate.admit("alice", at: 0) == nil } == 3)
        #expect(rate.admit("bob", at: 10) == nil)
        #expect(rate.count == 1)
    }

    @Test func `is not used less by a request that took long to arrive`() {
        var rate = RequestRate<String>(rate: 1, burst: 3)
        for _ in 0..<3 { #expect(rate.admit("alice", at: 100) == nil) }
        #expect(rate.admit("alice", at: 85) != nil)
        #expect(rate.admit("alice", at: 100) != nil)
    }

    @Test func `of zero means no limit`() {
        var rate = RequestRate<Int>(rate: 0, burst: 1)
        for _ in 0..<1000 { #expect(rate.admit(1, at: 0) == nil) }
    }
}

@Suite struct `The client's address` {
    private func proxies(_ texts: String...) -> TrustedProxies {
        TrustedProxies(networks: texts.compactMap { AddressBlock($0) })
    }

    @Test func `is the peer's if no proxy is trusted, whatever the header says`() {
        #expect(proxies().client(peer: "203.0.113.9", forwardedFor: "10.0.0.1") == NetworkAddress("203.0.113.9"))
        #expect(
            proxies("10.0.0.0/8").client(peer: "203.0.113.9", forwardedFor: "1.2.3.4") == NetworkAddress("203.0.113.9"))
    }

    @Test func `is the rightmost one that is not a trusted proxy`() {
        let client = proxies("10.0.0.0/8", "2001:db8::/32")
            .client(peer: "10.0.0.5", forwardedFor: "6.6.6.6, 203.0.113.9, 2001:db8::1, 10.1.1.1")
        #expect(client == NetworkAddress("203.0.113.9"))
    }

    @Test func `is the last valid entry, from the right, before an invalid one`() {
        let client = proxies("10.0.0.0/8").client(peer: "10.0.0.5", forwardedFor: "203.0.113.9, unknown, 10.1.1.1")
        #expect(client == NetworkAddress("10.1.1.1"))
    }

    @Test func `is searched for in a limited number of entries, and is the last of them if all are proxies`() {
        let trusted = proxies("10.0.0.0/8")
        let hops = (1...100).map { "10.0.0.\($0)" }.joined(separator: ",")
        #expect(trusted.client(peer: "10.0.1.1", forwardedFor: "203.0.113.9," + hops) == NetworkAddress("10.0.0.85"))
    }
}
