import TestThreads
import Testing

@testable import Postgres

/// The choice of the next host.
@Suite(.mayBlock) struct PostgresHostsTests {
    /// The hosts that one attempt tries if none of them takes a session.
    private func attempt(_ hosts: inout PostgresHosts, silent: Set<Int> = []) -> [Int] {
        var tried: [Int] = []
        while let host = hosts.next(tried: Set(tried)) {
            tried.append(host)
            hosts.failed(host, after: silent.contains(host) ? .seconds(3) : .milliseconds(1))
        }
        return tried
    }

    @Test func `hosts are tried in the order of the URL, beginning with the one that took the last session`() {
        var hosts = PostgresHosts(count: 3)
        #expect(attempt(&hosts) == [0, 1, 2])
        hosts.opened(1)
        #expect(attempt(&hosts) == [1, 2, 0])
    }

    @Test func `a host that did not answer is tried last, until it answers`() {
        var hosts = PostgresHosts(count: 3)
        #expect(attempt(&hosts, silent: [0]) == [0, 1, 2])
        #expect(attempt(&hosts, silent: [0]) == [1, 2, 0])
        // It answers again, although only with a refusal.
        #expect(attempt(&hosts) == [1, 2, 0])
        #expect(attempt(&hosts) == [0, 1, 2])
    }

    @Test func `only one attempt at a time waits for a silent host`() {
        var hosts = PostgresHosts(count: 2)
        hosts.fellSilent(0)
        #expect(hosts.next(tried: [1]) == 0)
        #expect(hosts.next(tried: [1]) == nil)
        #expect(hosts.next(tried: []) == 1)
        hosts.failed(0, after: .seconds(3))
        #expect(hosts.next(tried: [1]) == 0)
    }

    @Test func `a single host is tried by every attempt, however silent it is`() {
        var hosts = PostgresHosts(count: 1)
        hosts.fellSilent(0)
        #expect(hosts.next(tried: []) == 0)
        #expect(hosts.next(tried: []) == 0)
        #expect(hosts.next(tried: [0]) == nil)
    }

    @Test(arguments: [
        ("postgresql://a,b:5433,c/x", ["a", "b", "c"]),
        ("postgresql://a:1,b:2/x?target_session_attrs=read-write", ["a", "b"]),
        ("host=a,b port=5432", ["a", "b"]),
        ("postgresql:///x?host=/run/a", ["/run/a"]),
        ("postgresql:///x", [""]),
        // The choice is libpq's, which may have to ask each host twice.
        ("postgresql://a,b/x?target_session_attrs=prefer-standby", ["a,b"]),
        // libpq reports the error.
        ("host=a,b,c port=1,2", ["a,b,c"]),
    ])
    func `a connection string is divided by hosts`(_ url: String, _ hosts: [String]) throws {
        #expect(try ConnectionString(url, applicationName: "tests").hosts.map(\.host) == hosts)
    }
}
