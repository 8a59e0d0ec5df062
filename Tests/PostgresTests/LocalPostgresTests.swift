import Foundation
@testable import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct LocalPostgresTests {
    @Test func `it keeps its data over a stop and a start, and a second start does nothing`() throws {
        let postgres = try EphemeralPostgres()
        defer { postgres.remove() }
        let server = postgres.server
        try PostgresSession(url: server.url()).execute("create table kept (a int); insert into kept values (7)")
        let process = try #require(server.processID)
        try server.start()
        #expect(server.processID == process)
        try server.stop()
        #expect(!server.isRunning)
        try server.stop()
        try server.start()
        #expect(try PostgresSession(url: server.url()).query("select a from kept").int(0, 0) == 7)
    }

    @Test func `it starts with the data and roles of a template, which must be stopped`() throws {
        let template = try EphemeralPostgres()
        defer { template.remove() }
        try PostgresSession(url: template.server.url()).execute(
            "create role keeper; create table kept as select 7 as a; alter table kept owner to keeper")
        #expect(throws: LocalPostgresError.self) { try EphemeralPostgres(template: template) }
        try template.server.stop()
        let copies = try (1...2).map { _ in try EphemeralPostgres(template: template) }
        defer { for copy in copies { copy.remove() } }
        for copy in copies {
            let session = try PostgresSession(url: copy.server.url())
            let kept = try session.query(
                "delete from kept returning a, (select tableowner from pg_tables where tablename = 'kept')")
            #expect(kept.int(0, 0) == 7)
            #expect(kept.string(0, 1) == "keeper")
        }
    }

    @Test func `it starts after kill -9, even if another process has its old process id`() throws {
        let postgres = try EphemeralPostgres(fsync: true)
        defer { postgres.remove() }
        let server = postgres.server
        try PostgresSession(url: server.url()).execute("create table kept (a int); insert into kept values (7)")
        kill(try #require(server.processID), SIGKILL)
        try server.start()
        #expect(try PostgresSession(url: server.url()).query("select a from kept").int(0, 0) == 7)

        kill(try #require(server.processID), SIGKILL)
        let lockFile = server.home + "/postgres/postmaster.pid"
        let lines = try String(contentsOfFile: lockFile, encoding: .utf8).split(separator: "\n").dropFirst()
        let stale = ([String(getpid())] + lines.map(String.init)).joined(separator: "\n")
        try stale.write(toFile: lockFile, atomically: false, encoding: .utf8)
        #expect(!server.isRunning)
        try server.start()
        #expect(try PostgresSession(url: server.url()).query("select a from kept").int(0, 0) == 7)
    }

    @Test func `a server whose program was replaced is reported, and restarted only on request`() throws {
        let postgres = try EphemeralPostgres()
        defer { postgres.remove() }
        let server = postgres.server
        try PostgresSession(url: server.url()).execute("create table kept (a int); insert into kept values (7)")
        try server.stop()
        // A program of our own, beside links to the files that it looks for relative to itself.
        let program = try server.program("postgres")
        let folder = URL(fileURLWithPath: "/tmp/kith-program-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bin = URL(fileURLWithPath: program).deletingLastPathComponent()
        let copy = folder.appending(path: program)
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        // By a program: a process that another test starts while this one has the copy open for writing would keep it
        // open, and a file that is written cannot be executed.
        try #require(ServerProgram.run(["/bin/cp", program, copy.path], output: "/dev/null") == 0)
        let major = bin.deletingLastPathComponent().lastPathComponent
        try FileManager.default.createSymbolicLink(
            atPath: copy.deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib").path,
            withDestinationPath: bin.deletingLastPathComponent().appending(path: "lib").path)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "usr/share/postgresql"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "usr/share/postgresql/\(major)").path,
            withDestinationPath: "/usr/share/postgresql/\(major)")
        mkdir(server.socketDirectory, 0o700)
        let account = try ServerAccount()
        try account.own(server.socketDirectory)
        let cluster = try Cluster(home: server.home, identity: "", account: account)
        let status = try account.run(
            [
                try server.program("pg_ctl"), "start", "-D", cluster.data, "-l", cluster.log, "-w", "-s", "-p",
                copy.path,
                "-o", "-c unix_socket_directories=\(server.socketDirectory) -c listen_addresses=''",
            ], output: cluster.log)
        try #require(status == 0, "\(cluster.logTail)")
        let outdated = try #require(server.processID)
        try server.start()
        #expect(server.processID == outdated)

        try FileManager.default.removeItem(at: copy)
        let error = #expect(throws: LocalPostgresError.self) { try server.start() }
        #expect("\(error!)".contains("older than the one installed"))
        #expect(error?.remedy.contains("kith dev") == true)
        #expect(server.processID == outdated)
        try server.start(restartsOutdated: true)
        #expect(server.processID != outdated)
        #expect(try PostgresSession(url: server.url()).query("select a from kept").int(0, 0) == 7)
    }

    @Test func `simultaneous starts make one server`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "kith-test-\(getpid())").path
        var settings = LocalPostgresSettings()
        settings.fsync = false
        let server = LocalPostgres(home: home, settings: settings)
        defer {
            try? server.stop()
            try? FileManager.default.removeItem(atPath: home)
        }
        try await withThrowingTaskGroup(of: Int32?.self) { group in
            for _ in 1...4 {
                group.addTask {
                    try server.start()
                    return server.processID
                }
            }
            var processes: Set<Int32?> = []
            for try await process in group { processes.insert(process) }
            #expect(processes.count == 1)
            #expect(!processes.contains(nil))
        }
    }

    @Test func `the server is outside our process group and has the given settings`() throws {
        var settings = LocalPostgresSettings()
        settings.maxConnections = 17
        settings.parameters["cluster_name"] = "it's a test"
        let postgres = try EphemeralPostgres(settings: settings)
        defer { postgres.remove() }
        let process = try #require(postgres.server.processID)
        #expect(getpgid(process) != getpgrp())
        #expect(getsid(process) != getsid(0))
        let session = try PostgresSession(url: postgres.server.url())
        func setting(_ name: String) throws -> String? {
            try session.query("select current_setting($1)", [.text(name)]).string(0, 0)
        }
        #expect(try setting("max_connections") == "17")
        #expect(try setting("cluster_name") == "it's a test")
        #expect(try setting("listen_addresses") == "")
        #expect(try setting("server_encoding") == "UTF8")
        #expect(try setting("lc_collate") == "C.UTF-8")
        #expect(try setting("data_checksums") == "on")
        #expect(try setting("TimeZone") == "UTC")
    }

    @Test func `a loopback port needs a password`() throws {
        var settings = LocalPostgresSettings()
        // Below the range of ephemeral ports.
        settings.loopbackPort = 10000 + Int(getpid()) % 20000
        let postgres = try EphemeralPostgres(settings: settings)
        defer { postgres.remove() }
        try PostgresSession(url: postgres.server.url()).execute("create role alice login password 'correct'")
        let address = "127.0.0.1:\(settings.loopbackPort!)/postgres"
        _ = try PostgresSession(url: "postgresql://alice:correct@\(address)")
        let error = #expect(throws: PostgresError.self) {
            _ = try PostgresSession(url: "postgresql://alice:wr0ng@\(address)")
        }
        #expect("\(error!)".contains("password authentication failed"))
        #expect(!"\(error!)".contains("wr0ng"))
    }

    @Test func `a database is copied from a template`() throws {
        let postgres = try sharedServer.get()
        let template = try postgres.createDatabase("a template")
        try PostgresSession(url: template).execute("create table copied (a int)")
        let copy = try postgres.createDatabase("a copy", template: "a template")
        #expect(try PostgresSession(url: copy).query("select * from copied").columnCount == 1)
    }

    @Test func `an ephemeral server leaves nothing behind`() throws {
        let postgres = try EphemeralPostgres()
        defer { postgres.remove() }
        let server = postgres.server
        let process = try #require(server.processID)
        let options = try #require(URLComponents(string: server.url())?.queryItems)
        let directory = try #require(options.first { $0.name == "host" }?.value)
        #expect(FileManager.default.fileExists(atPath: directory))
        postgres.remove()
        // The process is gone, or a zombie that its new parent has not reaped yet.
        #expect(((try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? "").isEmpty)
        #expect(!FileManager.default.fileExists(atPath: directory))
        #expect(!FileManager.default.fileExists(atPath: server.home))
    }
}
