import EventLoop
import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// Reads from a streaming standby (decision 30).
@Suite(.mayBlock) struct PostgresStandbyTests {
    private static let write = PostgresStatement(name: "write", sql: "insert into acts values ($1::integer)")
    private static let read = PostgresStatement(
        name: "read", sql: "select count(*)::integer, pg_is_in_recovery() from acts")
    private static let readAndWrite = PostgresStatement(
        name: "read_and_write", sql: "insert into acts values (0) returning 1")

    /// A primary with a database `other` and the table `acts` in both, and what standbys of it are made from.
    private func makePrimary() throws -> (template: EphemeralPostgres, primary: EphemeralPostgres) {
        let template = try EphemeralPostgres()
        try PostgresSession(url: template.server.url()).execute("create table acts (id integer)")
        let other = try template.createDatabase("other")
        try PostgresSession(url: other).execute("create table acts (id integer)")
        try template.server.stop()
        return (template, try EphemeralPostgres(template: template))
    }

    private static var lanes: PostgresLanes {
        var lanes = PostgresLanes.narrow
        lanes.reads.connections = 2
        return lanes
    }

    @Test func `a read from a standby has every write before it, and the primary answers when the standby cannot`()
        async throws
    {
        let (template, primary) = try makePrimary()
        let standby = try EphemeralPostgres(template: template, primary: primary)
        let operatorURL = standby.server.url()
        try await withPool(primary.server.url(), readURL: operatorURL, lanes: Self.lanes) { pool, loop async throws in
            var written = 0
            func writeAndRead(_ times: Int) async throws -> Int {
                var fromStandby = 0
                for _ in 0..<times {
                    _ = try await pool.query(Self.write, [.int(written)], lane: .writes)
                    written += 1
                    let answer = try await pool.query(Self.read, [], mayUseStandby: true)
                    #expect(answer.int(0, 0) == written)
                    if answer.bool(0, 1) == true { fromStandby += 1 }
                }
                return fromStandby
            }
            func awaitStandby() async throws {
                while try await writeAndRead(1) == 0 { try await loop.sleep(for: .milliseconds(20)) }
            }
            try await awaitStandby()
            _ = try await writeAndRead(50)
            // Another server's write is there as well.
            try PostgresSession(url: primary.server.url()).execute("insert into acts values (-1)")
            written += 1
            try await awaitStandby()

            try PostgresSession(url: operatorURL).execute("select pg_wal_replay_pause()")
            // The pause begins when what was received is replayed.
            while try PostgresSession(url: operatorURL).query("select pg_get_wal_replay_pause_state() = 'paused'")
                .bool(0, 0) != true
            {
                _ = try await writeAndRead(1)
            }
            #expect(try await writeAndRead(20) == 0)
            #expect(pool.standbyStatus?.inRotation == 0)
            try PostgresSession(url: operatorURL).execute("select pg_wal_replay_resume()")
            try await awaitStandby()

            // A statement that turns out to write is the primary's, and costs the standby no session.
            let failed = pool.standbyStatus?.failed
            _ = try await pool.query(Self.readAndWrite, [], mayUseStandby: true)
            written += 1
            #expect(pool.standbyStatus?.failed == failed)

            let process = try #require(standby.server.processID)
            async let reads = (0..<400).asyncMap { _ in
                try await loop.sleep(for: .milliseconds(1))
                return try await pool.query(Self.read, [], mayUseStandby: true).int(0, 0)
            }
            try await loop.sleep(for: .milliseconds(50))
            kill(process, SIGKILL)
            #expect(try await reads.allSatisfy { $0 == written })
            while try await writeAndRead(1) != 0 {}
        }
    }

    @Test func `a standby that was promoted is left for another one`() async throws {
        let (template, primary) = try makePrimary()
        let promoted = try EphemeralPostgres(template: template, primary: primary)
        let other = try EphemeralPostgres(template: template, primary: primary)
        let hosts = try [promoted, other].map { try host(of: $0.server.url()) }
        let url = "postgresql://postgres@/postgres?host=\(hosts.joined(separator: ","))&target_session_attrs=standby"
        try await withPool(primary.server.url(), readURL: url, lanes: Self.lanes) { pool, loop async throws in
            func awaitStandby() async throws {
                let before = pool.standbyStatus?.standby
                while pool.standbyStatus?.standby == before {
                    #expect(try await pool.query(Self.read, [], mayUseStandby: true).int(0, 0) == 0)
                    try await loop.sleep(for: .milliseconds(5))
                }
            }
            try await awaitStandby()
            let session = try PostgresSession(url: promoted.server.url())
            try session.execute("select pg_promote()")
            // What only the promoted server has must not be seen.
            try session.execute("insert into acts values (1)")
            try await awaitStandby()
            #expect(
                try PostgresSession(url: other.server.url()).query(
                    "select from pg_stat_activity where application_name = 'tests'"
                ).rowCount > 0)
        }
    }

    @Test func `a server that is not a standby of the primary, or a session that differs, answers no reads`()
        async throws
    {
        let (template, primary) = try makePrimary()
        let standby = try EphemeralPostgres(template: template, primary: primary)
        try PostgresSession(url: primary.server.url()).execute("create role stranger superuser login")
        let stranger = try makeDatabase("is_no_standby")
        try PostgresSession(url: stranger).execute("create table acts (id integer)")
        let (ours, theirs) = (primary.server.url(), standby.server.url())
        for (url, readURL) in [
            (ours, ours), (ours, stranger), (ours, standby.server.url(database: "other")),
            (ours, standby.server.url(user: "stranger")),
            (ours, theirs + "&options=-c%20default_transaction_isolation%3Drepeatable%5C%20read"),
            (ours + "&options=-c%20synchronous_commit%3Doff", theirs),
        ] {
            try await withPool(url, readURL: readURL, lanes: Self.lanes) { pool, loop async throws in
                while (pool.standbyStatus?.failed ?? 0) < 2 {
                    #expect(try await pool.query(Self.read, [], mayUseStandby: true).bool(0, 1) == false)
                    try await loop.sleep(for: .milliseconds(5))
                }
                #expect(pool.standbyStatus?.standby == 0, "\(url) \(readURL)")
            }
        }
    }

    /// The directory of a server's socket.
    private func host(of url: String) throws -> String {
        try #require(URLComponents(string: url)?.queryItems?.first { $0.name == "host" }?.value)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
