import ChildProcesses
import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

@testable import Schema

/// A migrated database with pgTAP, in a server that is stopped, to be copied.
private let template = Result {
    let server = try EphemeralPostgres()
    let session = try PostgresSession(url: try server.createDatabase("kith"))
    _ = try Migrator(session).migrate()
    try session.execute("create extension pgtap")
    try server.server.stop()
    return server
}

/// The folder of the package.
private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// Runs a program; its exit status, and its output on both streams.
private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let log = FileManager.default.temporaryDirectory.appending(path: "kith-database-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: log) }
    let process = try ChildProcess([program] + arguments, folder: root.path, output: .file(log.path))
    return (process.wait(), try String(contentsOf: log, encoding: .utf8))
}

@Suite(.mayBlock) struct `The database` {
    /// The number of databases among which the test files are divided. In each, they run one after the other, because a
    /// loop of the worker skips its work while another session runs it.
    private static let shares = 3

    @Test(arguments: 0..<shares)
    func `passes its own tests`(share: Int) throws {
        let server = try EphemeralPostgres(template: template.get())
        defer { server.remove() }
        let files = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Tests/SQL").path)
            .filter { $0.hasSuffix(".sql") && $0 != "people.sql" }.sorted().enumerated()
            .filter { $0.offset % Self.shares == share }.map { "Tests/SQL/\($0.element)" }
        // pg_prove takes no URL.
        let sockets =
            try PostgresSession(url: server.server.url()).query("show unix_socket_directories").string(0, 0) ?? ""
        let (status, output) = try run(
            "pg_prove",
            ["--host", sockets, "--username", "postgres", "--dbname", "kith"] + files)
        print(output)
        #expect(
            status == 0,
            """
            pg_prove failed; apt-get install postgresql-15-pgtap postgresql-15-plpgsql-check \
            libtap-parser-sourcehandler-pgtap-perl if it is missing
            """
        )
    }

    @Test func `is what sql/schema.sql says`() throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let url = try server.createDatabase("kith")
        _ = try Migrator(PostgresSession(url: url)).migrate()
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-schema-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (dump, list) = (folder.appending(path: "dump").path, folder.appending(path: "list").path)
        // Monthly partitions come and go; their parent tables stay. Functions and policies have files of their own.
        try Self.client(
            server, "pg_dump",
            [
                "--schema-only", "--format", "custom", "--file", dump, "--schema", "kith", "--exclude-table",
                "kith.*_20[0-9][0-9]_*", url,
            ])
        let contents = try Self.client(server, "pg_restore", ["--list", dump]).split(separator: "\n")
        try Self.reviewed(contents).joined(separator: "\n")
            .write(toFile: list, atomically: true, encoding: .utf8)
        let schema = Self.normalized(
            try Self.client(server, "pg_restore", ["--no-owner", "--use-list", list, "--file", "-", dump]))
        let file = root.appending(path: "sql/schema.sql")
        if ProcessInfo.processInfo.environment["KITH_WRITE_SCHEMA"] != nil {
            try schema.write(to: file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: file, encoding: .utf8)
        let isCurrent = schema == committed
        #expect(isCurrent, "sql/schema.sql is stale: run make schema")
    }

    /// Returns the lines of a dump's list of contents that `sql/schema.sql` has: the domains, each table with its
    /// comments, by name, and then the rest.
    private static func reviewed(_ contents: [Substring]) -> [Substring] {
        let entry =
            #/^\d+; \d+ \d+ (?:(?:TABLE|COMMENT kith TABLE|COMMENT kith COLUMN) (?:kith )?(?<table>\w+)|(?<domain>DOMAIN|COMMENT kith DOMAIN) |(?:TABLE ATTACH|INDEX|INDEX ATTACH|CONSTRAINT|FK CONSTRAINT|DEFAULT|COMMENT kith INDEX|COMMENT kith CONSTRAINT) )/#
        return contents.enumerated()
            .compactMap { offset, line in
                line.firstMatch(of: entry).map { (line, $0.output.domain != nil ? "" : $0.output.table ?? "~", offset) }
            }
            .sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    @discardableResult
    private static func client(_ server: EphemeralPostgres, _ program: String, _ arguments: [String]) throws -> String {
        let (status, output) = try run(try server.server.program(program), arguments)
        #expect(status == 0, "\(output)")
        return output
    }

    /// Removes what differs between two dumps of one schema: comments with versions, session settings, random guards.
    private static func normalized(_ dump: String) -> String {
        let lines = dump.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !line.hasPrefix("--") && !line.hasPrefix("SET ") && !line.hasPrefix("SELECT pg_catalog.set_config")
                && !line.hasPrefix("\\restrict") && !line.hasPrefix("\\unrestrict")
        }
        var result = ""
        var blank = true
        for line in lines {
            if line.isEmpty && blank { continue }
            blank = line.isEmpty
            result += line + "\n"
        }
        return result
    }
}
