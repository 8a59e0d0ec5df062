import Foundation
import Postgres
import TestThreads
import Testing

/// What a release has promised (`docs/stability.md`), against what this build says of itself.
@Suite(.mayBlock, .serialized) struct `The promises of a release` {
    @Test func `are kept by this build`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-released-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ text: String, _ name: String) throws {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let (installation, _, client) = try shared.get()
        try write(try await client.send("GET", "/openapi.json").text, "openapi.json")
        try write(KithProcess.run(["help"], environment: [:]).output, "help.txt")
        try write(KithProcess.run(["manual", "kith.env"], environment: [:]).output, "kith.env.roff")
        let catalogue = try String(contentsOf: Self.released.appending(path: "admin.sql"), encoding: .utf8)
        let admin = try installation.session().query(catalogue).string(0, 0)
        try write(#require(admin), "admin.json")
        for library in ["KithClient", "KithServer"] { try writeSymbols(of: library, to: folder) }

        // KITH_WRITE_RELEASED=1.0 describes this build as that release.
        let release = ProcessInfo.processInfo.environment["KITH_WRITE_RELEASED"]
        let check = try Self.python(["check.py", folder.path] + (release.map { ["--write", $0] } ?? []))
        #expect(check.status == 0, "\(check.output)")
    }

    @Test func `are seen to be broken, each by its name`() throws {
        let tests = try Self.python(["-m", "unittest", "test_promises"])
        #expect(tests.status == 0, "\(tests.output)")
        #expect(tests.output.contains("Ran 11 tests"))
    }

    private static let released = Tool.tests.appending(path: "Released")

    private static func python(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try Tool.run(URL(filePath: "/usr/bin/env"), ["python3", "-B"] + arguments, in: released)
    }

    private func writeSymbols(of library: String, to folder: URL) throws {
        #if arch(arm64)
            let target = "aarch64-unknown-linux-gnu"
        #else
            let target = "x86_64-unknown-linux-gnu"
        #endif
        let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        let graph = try Tool.run(
            URL(filePath: "/usr/bin/env"),
            [
                "swift", "symbolgraph-extract", "-module-name", library, "-I", modules.path, "-target", target,
                "-minimum-access-level", "public", "-experimental-allowed-reexported-modules=KithCalls",
                "-output-dir", folder.path,
            ])
        #expect(graph.status == 0, "\(graph.output)")
    }
}
