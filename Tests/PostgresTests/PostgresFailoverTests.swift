import EventLoop
import Foundation
import LocalPostgres
import Postgres
import Synchronization
import TestThreads
import Testing

/// The pool over several hosts, of which one is the primary.
@Suite(.mayBlock) struct PostgresFailoverTests {
    private static let process = PostgresStatement(name: "process", sql: "select pg_backend_pid()")
    private static let write = PostgresStatement(name: "write", sql: "insert into acts values (1)")

    @Test func `a session of a server that became read-only is replaced`() async throws {
        let url = try makeDatabase("becomes_read_only")
        try PostgresSession(url: url).execute("create table acts (id bigint)")
        let demote = PostgresStatement(
            name: "demote", sql: "select set_config('default_transaction_read_only', 'on', false)")
        try await withPool(url, lanes: .narrow) { pool, loop async throws in
            _ = try await pool.query(demote, [], lane: .reads)
            // The refusal says nothing about the request, which may be repeated.
            #expect(await pool.failure(Self.write)?.isUnavailable == true)
            while pool.status(of: .reads).connected == 0 { try await loop.sleep(for: .milliseconds(5)) }
            #expect(await pool.failure(Self.write) == nil)
        }
    }

    @Test func `a transaction on a server that became read-only ends, and the next one has a new session`() async throws
    {
        let url = try makeDatabase("becomes_read_only_in_transaction")
        try PostgresSession(url: url).execute("create table acts (id bigint)")
        let demote = PostgresStatement(name: "demote", sql: "set transaction_read_only = on")
        try await withPool(url, lanes: .narrow) { pool, loop async throws in
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction async throws(PostgresError) in
                    _ = try await transaction.query(demote)
                    _ = try await transaction.query(Self.write)
                }
            }
            while pool.status(of: .transactions).connected == 0 { try await loop.sleep(for: .milliseconds(5)) }
            try await pool.transaction { transaction async throws(PostgresError) in
                _ = try await transaction.query(Self.write)
            }
        }
    }

    @Test func `a host that does not answer is not waited for again while another one is the primary`() async throws {
        let silent = try SilentHost()
        defer { silent.close() }
        let real = try makeDatabase("beside_a_silent_host")
        let socket = try #require(ConnectionStrings.host(of: real))
        // 2 s is the shortest that libpq takes.
        let url =
            "user=postgres dbname=beside_a_silent_host host=127.0.0.1,\(socket) port=\(silent.port),5432 "
            + "connect_timeout=2 target_session_attrs=read-write"
        try await withPool(url, lanes: .narrow) { pool, loop async throws in
            let visits = silent.visits
            #expect(visits > 0)
            let first = try #require(try await pool.query(Self.process, []).int(0, 0))
            try PostgresSession(url: real).execute("select pg_terminate_backend(\(first))")
            while pool.status(of: .reads).connected == 1 { try await loop.sleep(for: .milliseconds(1)) }
            while pool.status(of: .reads).connected == 0 { try await loop.sleep(for: .milliseconds(1)) }
            #expect(silent.visits == visits)
        }
    }

    @Test func `the pool follows a promotion, and takes no session of the former primary beside it`() async throws {
        let former = try EphemeralPostgres()
        defer { former.remove() }
        try PostgresSession(url: former.server.url()).execute("create database x")
        try PostgresSession(url: former.server.url(database: "x")).execute("create table acts (id bigint)")
        try former.server.stop()
        let standby = try EphemeralPostgres(template: former)
        defer { standby.remove() }
        let data = try #require(
            try PostgresSession(url: standby.server.url()).query("show data_directory").string(0, 0))
        try standby.server.stop()
        // A standby that follows nobody. It can be promoted all the same.
        try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
        try standby.server.start()
        try former.server.start()
        let hosts = try [standby, former].map { try #require(ConnectionStrings.host(of: $0.server.url())) }
        let url = "user=postgres dbname=x host=\(hosts[0]),\(hosts[1]) port=5432 target_session_attrs=read-write"
        let formerURL = former.server.url()
        let standbyURL = standby.server.url()
        let isFormer = PostgresStatement(
            name: "is_former", sql: "select current_setting('unix_socket_directories') = '\(hosts[1])'")
        var lanes = PostgresLanes.narrow
        lanes.reads.connections = 2
        try await withPool(url, lanes: lanes) { pool, loop async throws in
            #expect(try await pool.query(isFormer, []).bool(0, 0) == true)
            let process = try #require(try await pool.query(Self.process, []).int(0, 0))
            try PostgresSession(url: standbyURL).execute("select pg_promote()")
            // The former primary still runs, and its sessions can still write. It only takes no new ones.
            try PostgresSession(url: formerURL).execute(
                "alter database x allow_connections false; select pg_terminate_backend(\(process))")
            // One new session is enough to drop all others of the former primary, in every lane.
            for lane in [PostgresLane.reads, .writes] {
                while try await pool.answer(isFormer, lane) != false { try await loop.sleep(for: .milliseconds(5)) }
            }
            while pool.status(of: .reads).connected < 2 { try await loop.sleep(for: .milliseconds(5)) }
            try PostgresSession(url: standbyURL).execute("alter database x allow_connections false")
            try PostgresSession(url: formerURL).execute("alter database x allow_connections true")
            let second = try #require(try await pool.query(Self.process, []).int(0, 0))
            try PostgresSession(url: standbyURL).execute("select pg_terminate_backend(\(second))")
            while pool.status(of: .reads).lastFailure?.contains("former primary") != true {
                try await loop.sleep(for: .milliseconds(5))
            }
            #expect(try await pool.query(isFormer, []).bool(0, 0) == false)
        }
    }
}

extension PostgresPool {
    /// The answer to a question of yes and no; nil without an answer.
    fileprivate func answer(_ statement: PostgresStatement, _ lane: PostgresLane) async throws -> Bool? {
        do throws(PostgresError) { return try await query(statement, [], lane: lane).bool(0, 0) } catch { return nil }
    }
}

private enum ConnectionStrings {
    /// The socket's directory in an embedded server's URL.
    static func host(of url: String) -> String? {
        URLComponents(string: url)?.queryItems?.first { $0.name == "host" }?.value
    }
}

/// A port on which connections are taken, but nothing ever answers, as on a stopped machine.
private final class SilentHost: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
    }

    /// The number of connections so far, of which none is accepted before.
    var visits: Int {
        count.withLock { count in
            while accept(descriptor, nil, nil) >= 0 { count += 1 }
            return count
        }
    }
    private let count = Mutex(0)

    func close() { Glibc.close(descriptor) }
}
