import ChildProcesses
import Foundation
import KithClient
import TestThreads
import Testing

/// Builds KithClient's documentation, and compiles the code in it against the module that these tests were built with.
@Suite(.mayBlock) struct `The guide of KithClient` {
    private static let catalogue = "Sources/KithClient/KithClient.docc"
    private static let articles = Repository.files(in: catalogue).filter { $0.hasSuffix(".md") }

    @Test func `builds without a warning`() throws {
        let folder = try Folder()
        defer { folder.remove() }
        try folder.make("symbols")
        try folder.expect([
            "swift", "symbolgraph-extract", "-module-name", "KithClient", "-I", Build.modules, "-target", Build.target,
            "-minimum-access-level", "public", "-output-dir", "symbols",
        ])
        let log = try folder.expect([
            "docc", "convert", Repository.url(Self.catalogue).path, "--additional-symbol-graph-dir", "symbols",
            "--output-dir", "guide.doccarchive", "--fallback-display-name", "KithClient",
            "--fallback-bundle-identifier", "KithClient", "--no-transform-for-static-hosting",
            "--warnings-as-errors",
        ])
        #expect(log.trimmingCharacters(in: .whitespacesAndNewlines) == "")
        for page in ["documentation/kithclient", "documentation/kithclient/kith", "tutorials/kithclient/sendersscreen"]
        {
            let isThere = folder.has("guide.doccarchive/data/\(page).json")
            #expect(isThere, "the archive has no \(page)")
        }
    }

    @Test func `has only code that compiles`() throws {
        let folder = try Folder()
        defer { folder.remove() }
        var (snippets, programs): ([String], [String]) = ([], [])
        for article in Self.articles + ["docs/integrate.md"] {
            var functions: [String] = []
            for (number, block) in try Block.all(in: article).enumerated() {
                if block.isProgram {
                    let name = "program\(programs.count).swift"
                    try folder.write(block.text, to: name)
                    programs.append(name)
                } else if article != "docs/integrate.md" {
                    // What an article shows without imports stands in a function of an app that has a client.
                    functions.append("@MainActor func block\(number)(kith: Kith) async throws {\n\(block.text)\n}\n")
                }
            }
            guard !functions.isEmpty else { continue }
            let name = "Snippets\(snippets.count).swift"
            try folder.write("import Foundation\nimport KithClient\n\n" + functions.joined(separator: "\n"), to: name)
            // Each article is a module of its own, so that two can have a function of the same name.
            snippets.append(name)
        }
        #expect(snippets.count >= 5)
        #expect(programs.count >= 5)
        for name in snippets { try folder.expect(Build.check + ["-parse-as-library", name]) }
        for name in programs { try folder.expect(Build.check + [name]) }
    }

    @Test func `has code that prints what the article on testing says`() throws {
        let folder = try Folder()
        defer { folder.remove() }
        let blocks = try Block.all(in: "\(Self.catalogue)/Articles/TestingWithoutAServer.md").filter(\.isProgram)
        #expect(blocks.count == 3)
        // The build leaves the objects of sources that have gone.
        let objects = try ["KithClient", "KithCalls", "KithCountries"].flatMap { module in
            let sources = Set(
                Repository.files(in: "Sources/\(module)").compactMap { $0.split(separator: "/").last.map { "\($0).o" } }
            )
            let folder = Build.objects(of: module)
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter(sources.contains)
                .map { "\(folder)/\($0)" }
        }
        for block in blocks {
            try folder.write(block.text, to: "main.swift")
            try folder.expect(["swiftc"] + Build.options + ["main.swift", "-o", "program"] + objects)
            #expect(!block.output.isEmpty)
            let lines = try folder.expect(["./program"]).split(separator: "\n").map(String.init)
            #expect(lines == block.output)
        }
    }

    @Test func `has SwiftUI code that can be parsed`() throws {
        let files = Repository.files(in: "\(Self.catalogue)/Resources").filter { $0.hasSuffix(".swift") }
        #expect(files.count > 5)
        let folder = try Folder()
        defer { folder.remove() }
        let tutorial = try Repository.text("\(Self.catalogue)/Tutorials/SendersScreen.tutorial")
        for file in files {
            try folder.expect(["swiftc", "-frontend", "-parse", Repository.url(file).path])
            let isShown = tutorial.contains("file: \"\(Repository.url(file).lastPathComponent)\"")
            #expect(isShown, "the tutorial does not show \(file)")
        }
    }

    @Test func `lists each condition that the tests do not compile`() throws {
        let article = try Repository.text("\(Self.catalogue)/Articles/NotCompiledHere.md")
        let listed = article.matches(of: /\n\| `(.*?)` \| `(.*?)` \|/).map {
            "\($0.1): \($0.2.replacing(#"\|"#, with: "|"))"
        }
        var found: [String] = []
        var isForLinux = Set<String>()
        for path in Repository.files(in: "Sources/KithClient")
        where path.hasSuffix(".swift") && !path.hasPrefix(Self.catalogue) {
            let file = String(path.dropFirst("Sources/KithClient/".count))
            for condition in try Repository.text(path).matches(of: /#(?:else)?if (.*)/).map({ String($0.1) }) {
                if condition == "canImport(FoundationNetworking)" {
                    isForLinux.insert(file)
                } else if !found.contains("\(file): \(condition)") {
                    found.append("\(file): \(condition)")
                }
            }
        }
        #expect(Set(listed) == Set(found))
        for file in isForLinux { #expect(article.contains("`\(file)`"), "the article does not name \(file)") }
    }

    @Test func `names the toolchain that it was tested with`() throws {
        let article = try Repository.text("\(Self.catalogue)/Articles/NotCompiledHere.md")
        #expect(article.contains(/\n    Swift version [0-9]+\.[0-9.]+/))
    }

    @Test func `has a quick start of at most 40 lines`() throws {
        let start = try #require(try Block.all(in: "docs/integrate.md").first)
        #expect(start.isProgram)
        #expect(start.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    }
}

/// A block of Swift code in a document.
private struct Block {
    let text: String

    /// The blocks of a document, in order.
    static func all(in document: String) throws -> [Block] {
        try Repository.text(document).matches(of: /(?:^|\n)```swift\n((?s).*?)\n```/).map { Block(text: String($0.1)) }
    }

    /// Whether the block is a whole program.
    var isProgram: Bool { text.contains(/(^|\n)import KithClient\n/) }

    /// What the program prints: the comments behind its calls of `print`.
    var output: [String] { text.matches(of: /print\(.*\)[ }]*  \/\/ (.*)/).map { String($0.1) } }
}

/// What these tests were built with.
private enum Build {
    private static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    static let modules = "\(folder)/Modules"
    static func objects(of module: String) -> String { "\(folder)/\(module).build" }
    #if arch(arm64)
        static let target = "aarch64-unknown-linux-gnu"
    #else
        static let target = "x86_64-unknown-linux-gnu"
    #endif
    /// The options of a consumer's package of tools version 6.
    static let options = ["-swift-version", "6", "-I", modules]
    static let check = ["swiftc", "-typecheck", "-warnings-as-errors"] + options
}

/// A temporary folder in which a test runs programs.
private struct Folder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "kith-guide-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    func remove() { try? FileManager.default.removeItem(at: url) }

    func make(_ name: String) throws {
        try FileManager.default.createDirectory(at: url.appending(path: name), withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws {
        try text.write(to: url.appending(path: name), atomically: true, encoding: .utf8)
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url.appending(path: name).path) }

    /// Runs a program, which must succeed; all that it wrote.
    @discardableResult
    func expect(_ command: [String], sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        // A log that exists is appended to.
        let log = url.appending(path: "log-\(UUID().uuidString)").path
        let status = try ChildProcess(command, folder: url.path, output: .file(log)).wait()
        let output = try String(contentsOfFile: log, encoding: .utf8)
        #expect(status == 0, "\(command.joined(separator: " "))\n\(output)", sourceLocation: sourceLocation)
        return output
    }
}
