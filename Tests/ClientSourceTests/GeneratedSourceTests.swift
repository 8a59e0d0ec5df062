import ChildProcesses
import ClientSource
import Foundation
import OpenAPI
import Testing

@testable import API

@Suite struct `The generated source of the libraries` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let values = "Tests/ClientSourceTests/GeneratedValue+all.swift"
    private static let calls = root.appending(path: "Tests/EndToEnd/Client/Calls")
    private static let table = "docs/calls.md"

    @Test func `is what the description of the API says`() throws {
        let source = ClientSource(.kith)
        let expected = try source.files.mapValues(formatted)
        let calls = try formatted(source.testCalls)
        var others = try formatted([Self.values: source.valueTable])
        others[Self.table] = try callTable(source)
        if ProcessInfo.processInfo.environment["KITH_WRITE_CLIENT"] != nil {
            let folders = expected.map { (Self.root.appending(path: $0.folder), $1) }
            for (folder, generated) in folders + [(Self.calls, calls)] {
                try? FileManager.default.removeItem(at: folder)
                try write(generated, to: folder)
            }
            try write(others, to: Self.root)
        }
        for (name, text) in others {
            let file = try? String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
            let isCurrent = file == text
            #expect(isCurrent, "\(name) is stale; run make client")
        }
        for product in Product.allCases {
            let files = try files(in: Self.root.appending(path: product.folder))
            #expect(files == expected[product], "\(product.folder) is stale; run make client")
        }
        #expect(try files(in: Self.calls) == calls, "Tests/EndToEnd/Client/Calls is stale; run make client")
    }

    /// docs/calls.md: its beginning, which is written by hand, and the table.
    private func callTable(_ source: ClientSource) throws -> String {
        let file = try String(contentsOf: Self.root.appending(path: Self.table), encoding: .utf8)
        let beginning = file.prefix(upTo: file.firstRange(of: "\n## ")?.lowerBound ?? file.endIndex)
        return beginning + source.callTable(uses: try handWrittenUses())
    }

    /// The parts of the library that make each call, by the call's name: the names of their files, without those that
    /// are generated.
    private func handWrittenUses() throws -> [String: [String]] {
        var uses: [String: Set<String>] = [:]
        for (name, text) in try files(in: Self.root.appending(path: "Sources"))
        where name.hasPrefix("Kith") && !name.contains("/Generated/") {
            let part = name.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? name
            let calls = text.matches(of: /(?:api|KithCalls)\.([a-zA-Z]+)\(|operationID: "([a-zA-Z]+)"/)
            for call in calls { uses[String(call.1 ?? call.2 ?? ""), default: []].insert(part) }
        }
        return uses.mapValues { $0.sorted() }
    }

    /// The files as `swift format` writes them.
    private func formatted(_ files: [String: String]) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-client-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(files, to: folder)
        let settings = Self.root.appending(path: ".swift-format").path
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
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    private func files(in folder: URL) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
            files[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        return files
    }
}
