import Crypto
import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock, .serialized) struct `Documents and their servers` {
    @Test func `a server streams 25 MiB without keeping much of it in memory`() async throws {
        let (installation, _, _) = try shared.get()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let archive = try await Archive(installation, client)
        let content = bytes(25 << 20)
        // Upload and download a small document first, so that one-time allocations do not count.
        let small = try await archive.add(bytes(2 << 20))
        _ = try await archive.content(small)
        let before = try Self.peakMemory(of: server)
        let made = try await archive.add(content)
        let up = try Self.peakMemory(of: server)
        #expect(made.sha256 == hash(content))
        let read = try await archive.content(made)
        #expect(read.body == content)
        let down = try Self.peakMemory(of: server)
        #expect(up - before < 8 << 20, "\(up - before)")
        #expect(down - before < 8 << 20, "\(down - before)")
    }

    /// The process's peak memory, in bytes.
    private static func peakMemory(of process: KithProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) << 10
    }

    @Test func `two servers that need a vault's first key at the same time get the same one`() async throws {
        let (installation, _, client) = try shared.get()
        let second = try installation.serve()
        defer { second.process.signal(SIGTERM) }
        for _ in 0..<3 {
            let archive = try await Archive(installation, client)
            let contents = (0..<4).map { bytes(1000 + $0) }
            let made = try await withThrowingTaskGroup(of: (Int, Kith.Document).self) { group in
                for (number, content) in contents.enumerated() {
                    let server = number.isMultiple(of: 2) ? client : second.client
                    group.addTask {
                        let answer = try await server.patiently {
                            try await server.send(
                                "POST", archive.path + "?name=x", content: content, type: "text/plain",
                                as: archive.alice.token)
                        }
                        return (number, try answer.decode())
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (number, document) in made { #expect(try await archive.content(document).body == contents[number]) }
        }
    }

    @Test func `an upload that a killed server leaves behind is deleted an hour later, and nothing else is`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        let doomed = try installation.serve()
        let archive = try await Archive(installation, client)
        let kept = try await archive.add(bytes(300_000))
        let connection = try RawConnection(doomed.client)
        try connection.request("POST", archive.path + "?name=x", as: archive.alice.token, "Content-Length: 4000000")
        try connection.send([UInt8](repeating: 0, count: 1_000_000))
        while try archive.kept().chunks < 4 { try await Task.sleep(for: .milliseconds(5)) }
        doomed.process.signal(SIGKILL)
        doomed.process.wait()
        #expect(try archive.kept().versions == 2)
        let list: Kith.DocumentPage = try await archive.alice.get("GET", archive.path)
        #expect(list.items == [kept])
        let sweep = try PostgresSession(url: installation.url)
        _ = try sweep.query("select worker.sweep_uploads(\(Day.sql) + interval '50 minutes', 100)")
        #expect(try archive.kept().versions == 2)
        _ = try sweep.query("select worker.sweep_uploads(\(Day.sql) + interval '61 minutes', 100)")
        let left = try archive.kept()
        #expect(left.versions == 1)
        #expect(left.chunks == 2)
        #expect(try await archive.content(kept).status == 200)
    }

    @Test func `a download breaks off when the database goes down and works again afterwards`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGKILL) }
        let archive = try await Archive(installation, client)
        let content = bytes(25 << 20)
        let made = try await archive.add(content)
        let connection = try RawConnection(client)
        try connection.request("GET", archive.path(made) + "/content", as: archive.alice.token)
        connection.read(1 << 20)
        kill(try #require(installation.postgres.server.processID), SIGKILL)
        #expect(!connection.read(26 << 20))
        try installation.postgres.server.start()
        let again = try await client.patiently { try await archive.content(made) }
        #expect(again.body == content)
    }
}
