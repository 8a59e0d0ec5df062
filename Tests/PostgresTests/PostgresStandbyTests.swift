import EventLoop
import Foundation
import LocalPostgres
import Postgres
import Testing

/// Reads from a streaming standby (decision 30).
@Suite struct PostgresStandbyTests {
    private static let write = PostgresStatement(name: "write", sql: "insert into acts values ($1::integer)")
    private static let read = PostgresStatement(
        name: "read", sql: "select count(*)::integer, pg_is_in_recovery() from acts")
    private static let readAndWrite = PostgresStatement(
        name: "read_and_write", sql: "insert into acts values (0) returning 1")

    @Test func `a read from a standby has every write before it, and the primary answers when the standby cannot`()
        async throws
    {
        // The copy becomes the primary, because it continues the log of what it was copied from.
        let standby = try EphemeralPostgres()
        defer { standby.remove() }
        let operatorURL = standby.server.url()
        try PostgresSession(url: operatorURL).execute("create table acts (id integer)")
        let data = try #require(try PostgresSession(url: operatorURL).query("show data_directory").string(0, 0))
        try standby.server.stop()
        let primary = try EphemeralPostgres(template: standby)
        defer { primary.remove() }
        let socket = try #require(
            URLComponents(string: primary.server.url())?.queryItems?.first { $0.name == "host" }?.value)
        try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: data + "/postgresql.auto.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("primary_conninfo = 'host=\(socket) user=postgres'\n".utf8))
        try file.close()
        try standby.server.start()

        var lanes = PostgresLanes.narrow
        lanes.reads.connections = 2
        try await withPool(primary.server.url(), readURL: operatorURL, lanes: lanes) { pool, loop async throws in
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
                for _ in 0..<500 {
                    if try await writeAndRead(1) == 1 { break }
                    try await loop.sleep(for: .milliseconds(20))
                }
                #expect(pool.standbyStatus?.inRotation == 1)
            }
            try await awaitStandby()
            _ = try await writeAndRead(50)
            // Another server's write is there as well.
            try PostgresSession(url: primary.server.url()).execute("insert into acts values (-1)")
            written += 1
            try await awaitStandby()

            try PostgresSession(url: operatorURL).execute("select pg_wal_replay_pause()")
            #expect(try await writeAndRead(20) == 0)
            #expect(pool.standbyStatus?.inRotation == 0)
            try PostgresSession(url: operatorURL).execute("select pg_wal_replay_resume()")
            try await awaitStandby()

            // A statement that turns out to write is the primary's, and costs the standby no session.
            _ = try await pool.query(Self.readAndWrite, [], mayUseStandby: true)
            written += 1
            #expect(pool.standbyStatus?.inRotation == 1)

            let process = try #require(standby.server.processID)
            async let reads = (0..<400).asyncMap { _ in
                try await loop.sleep(for: .milliseconds(1))
                return try await pool.query(Self.read, [], mayUseStandby: true).int(0, 0)
            }
            try await loop.sleep(for: .milliseconds(50))
            kill(process, SIGKILL)
            #expect(try await reads.allSatisfy { $0 == written })
            #expect(try await writeAndRead(5) == 0)
        }
    }

    @Test func `a server that is the primary or of another cluster answers no reads as a standby`() async throws {
        let url = try makeDatabase("is_no_standby")
        try PostgresSession(url: url).execute("create table acts (id integer)")
        try await withPool(url, readURL: url, lanes: .narrow) { pool, loop async throws in
            while pool.standbyStatus?.failed == 0 {
                #expect(try await pool.query(Self.read, [], mayUseStandby: true).int(0, 0) == 0)
                try await loop.sleep(for: .milliseconds(5))
            }
            #expect(pool.standbyStatus?.standby == 0)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
