import ChildProcesses
import ClientSource
import Foundation
import OpenAPI
import Testing

@testable import API

@Suite struct `The generated source of KithClient` {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let folder = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/KithClient/Generated")
    private static let table = "GeneratedValue+all.swift"

    @Test func `is what the description of the API says`() throws {
        let source = ClientSource(.kith)
        let expected = try formatted(source.files)
        let table = try #require(try formatted([Self.table: source.valueTable])[Self.table])
        if ProcessInfo.processInfo.environment["KITH_WRITE_CLIENT"] != nil {
            try? FileManager.default.removeItem(at: Self.folder)
            try write(expected, to: Self.folder)
            try write([Self.table: table], to: Self.tests)
        }
        #expect(
            try files(in: Self.tests)[Self.table] == table,
            "Tests/ClientSourceTests/\(Self.table) is stale; run make client")
        let stale =
            try files(in: Self.folder).filter { expected[$0.key] != $0.value }.keys
            + expected.keys.filter { !FileManager.default.fileExists(atPath: Self.folder.appending(path: $0).path) }
        #expect(stale.sorted() == [], "Sources/KithClient/Generated is stale; run make client")
    }

    /// The files as `swift format` writes them.
    private func formatted(_ files: [String: String]) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-client-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(files, to: folder)
        let settings = Self.folder.appending(path: "../../../.swift-format").standardizedFileURL.path
        let arguments = ["--in-place", "--parallel", "--recursive", "--configuration", settings, folder.path]
        let log = folder.appending(path: "log")
        let process = try ChildProcess(["swift", "format"] + arguments, folder: folder.path, output: .file(log.path))
        let status = process.wait()
        let output = try String(contentsOf: log, encoding: .utf8)
        #expect(status == 0, "\(output)")
        try FileManager.default.removeItem(at: log)
        return try self.files(in: folder)
    }

    private func write(_ files: [String: String], to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
    }

    private func files(in folder: URL) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        return files
    }
}
