import ChildProcesses
import Foundation
import KithClient
import TestThreads
import Testing

/// Builds the documentation of the libraries, and compiles the code in it against the modules that these tests were
/// built with.
@Suite(.mayBlock) struct `The guides of the libraries` {
    private static let catalogue = "Sources/KithClient/KithClient.docc"

    /// A library with a guide.
    enum Library: String, CaseIterable {
        case client = "KithClient"
        case server = "KithServer"

        var catalogue: String { "Sources/\(rawValue)/\(rawValue).docc" }
        var articles: [String] { Repository.files(in: catalogue).filter { $0.hasSuffix(".md") } }
        /// Some of the pages of the archive.
        var pages: [String] {
            switch self {
            case .client:
                ["documentation/kithclient", "documentation/kithclient/kith", "tutorials/kithclient/sendersscreen"]
            case .server: ["documentation/kithserver/kithserver", "documentation/kithserver/kith/user"]
            }
        }
        /// What the code of an article has that shows no imports.
        var parameter: String {
            switch self {
            case .client: "kith: Kith"
            case .server: "server: KithServer"
            }
        }
    }

    @Test(arguments: Library.allCases) func `build without a warning`(library: Library) throws {
        let folder = try Folder()
        defer { folder.remove() }
        try folder.writeSymbols(of: library)
        let log = try folder.expect([
            "docc", "convert", Repository.url(library.catalogue).path, "--additional-symbol-graph-dir", "symbols",
            "--output-dir", "guide.doccarchive", "--fallback-display-name", library.rawValue,
            "--fallback-bundle-identifier", library.rawValue, "--no-transform-for-static-hosting",
            "--warnings-as-errors",
        ])
        #expect(log.trimmingCharacters(in: .whitespacesAndNewlines) == "")
        for page in library.pages {
            let isThere = folder.has("guide.doccarchive/data/\(page).json")
            #expect(isThere, "the archive has no \(page)")
        }
    }

    @Test(arguments: Library.allCases) func `have only code that compiles`(library: Library) throws {
        let folder = try Folder()
        defer { folder.remove() }
        var (snippets, programs): ([String], [String]) = ([], [])
        let others = library == .client ? ["docs/integrate.md"] : []
        for article in library.articles + others {
            var functions: [String] = []
            for (number, block) in try Block.all(in: article).enumerated() {
                if block.isProgram {
                    let name = "program\(programs.count).swift"
                    try folder.write(block.text, to: name)
                    programs.append(name)
                } else if !others.contains(article) {
                    // What an article shows without imports stands in a function of a program that has a client.
                    functions.append(
                        "@MainActor func block\(number)(\(library.parameter)) async throws {\n\(block.text)\n}\n")
                }
            }
            guard !functions.isEmpty else { continue }
            let name = "Snippets\(snippets.count).swift"
            try folder.write(
                "import Foundation\nimport \(library.rawValue)\n\n" + functions.joined(separator: "\n"), to: name)
            // Each article is a module of its own, so that two can have a function of the same name.
            snippets.append(name)
        }
        #expect(snippets.count >= (library == .client ? 5 : 3))
        #expect(programs.count >= (library == .client ? 5 : 1))
        for name in snippets { try folder.expect(Build.check + ["-parse-as-library", name]) }
        for name in programs { try folder.expect(Build.check + [name]) }
    }

    /// An app's author must not find what only a server may do, and a server's author no screens.
    @Test func `have the calls that docs/calls.md says, and no others`() throws {
        let folder = try Folder()
        defer { folder.remove() }
        var symbols: [Library: Set<String>] = [:]
        for library in Library.allCases { symbols[library] = Set(try folder.writeSymbols(of: library).map(\.name)) }
        let (app, server) = (try #require(symbols[.client]), try #require(symbols[.server]))
        func functions(_ type: String, _ names: Set<String>) -> Set<String> {
            Set(
                names.filter { $0.hasPrefix("\(type).") && $0.hasSuffix(")") }.map {
                    $0.dropFirst(type.count + 1).description
                })
        }
        var listed: [String: Set<String>] = [:]
        var count = 0
        for row in try Repository.text("docs/calls.md").matches(of: /\n\| `([a-zA-Z]+)` \| `.*?` \| (.*?) \| (.*?) \|/)
        {
            count += 1
            for function in row.3.matches(of: /`(kith\.api|kith|server)\.(.*?)`/) {
                listed[String(function.1), default: []].insert(String(function.2))
            }
            // A call without a function of one of them is no call, or one that the client makes by itself.
            if row.2 == "KithServer" {
                #expect(app.allSatisfy { !$0.contains(".\(row.1)(") }, "KithClient has \(row.1)")
            }
        }
        #expect(count > 200)
        #expect(functions("KithAPI", app) == listed["kith.api"])
        #expect(functions("KithServer", server).filter { !$0.hasPrefix("init(") } == listed["server"])
        // `vaults[id].open()` is a function of another type.
        let ends = app.compactMap { $0.split(separator: ".").last }
        for function in listed["kith"] ?? [] {
            let name = function.split(separator: ".").last ?? ""
            #expect(ends.contains(name), "KithClient has no \(function)")
        }
        for word in ["secretKey", "SecretKey", "apiKey", "APIKey", "webhookSecret"] {
            #expect(app.filter { $0.contains(word) && !$0.contains("ProblemCode") } == [], "KithClient names \(word)")
        }
        #expect(server.filter { $0.contains("Screen") || $0.contains("Storage") } == [])
    }

    @Test func `have as many names as docs/library.md says`() throws {
        let folder = try Folder()
        defer { folder.remove() }
        let text = try Repository.text("docs/library.md")
        for (library, type, name) in [
            (Library.client, "Kith", "kith."), (.client, "KithAPI", "kith.api."), (.server, "KithServer", "server."),
        ] {
            let members = try folder.writeSymbols(of: library).filter {
                $0.path.count == 2 && $0.path[0] == type && ["swift.method", "swift.property"].contains($0.kind)
            }
            let row = try #require(text.firstMatch(of: Regex("\n\\| after `\(name)` \\|.*\\| ([0-9]+) \\|\n")))
            #expect(row.output[1].substring.map { Int($0) } == members.count, "after \(name)")
        }
        for library in Library.allCases {
            let types = try folder.writeSymbols(of: library).filter {
                ["swift.struct", "swift.class", "swift.enum", "swift.protocol"].contains($0.kind)
            }
            let row = try #require(
                text.firstMatch(of: Regex("\n\\| public types of \(library.rawValue) \\|.*\\| ([0-9]+) \\|\n")))
            #expect(row.output[1].substring.map { Int($0) } == types.count, "\(library)")
        }
    }

    @Test func `have code that prints what the article on testing says`() throws {
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

    @Test func `have SwiftUI code that can be parsed`() throws {
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

    @Test func `list each condition that the tests do not compile`() throws {
        let article = try Repository.text("\(Self.catalogue)/Articles/NotCompiledHere.md")
        let listed = article.matches(of: /\n\| `(.*?)` \| `(.*?)` \|/).map {
            "\($0.1): \($0.2.replacing(#"\|"#, with: "|"))"
        }
        var found: [String] = []
        var isForLinux = Set<String>()
        let sources = ["KithCalls", "KithClient", "KithServer"].flatMap { Repository.files(in: "Sources/\($0)") }
        for path in sources where path.hasSuffix(".swift") && !path.hasPrefix(Self.catalogue) {
            let file = String(path.dropFirst("Sources/".count))
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

    @Test func `name the toolchain that it was tested with`() throws {
        let article = try Repository.text("\(Self.catalogue)/Articles/NotCompiledHere.md")
        #expect(article.contains(/\n    Swift version [0-9]+\.[0-9.]+/))
    }

    @Test func `have a quick start of at most 40 lines`() throws {
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
    var isProgram: Bool { text.contains(/(^|\n)import Kith(Client|Server)\n/) }

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

    /// A declaration of a library, with those that it shares with the other.
    struct Symbol: Decodable {
        private struct Kind: Decodable { let identifier: String }
        private enum CodingKeys: String, CodingKey {
            case path = "pathComponents"
            case kindOfSymbol = "kind"
        }

        let path: [String]
        private let kindOfSymbol: Kind
        var kind: String { kindOfSymbol.identifier }
        /// The path with dots.
        var name: String { path.joined(separator: ".") }
    }

    /// Writes the symbol graph of a library into the folder `symbols`.
    ///
    /// - Returns: Its public declarations.
    @discardableResult
    func writeSymbols(of library: `The guides of the libraries`.Library) throws -> [Symbol] {
        struct Graph: Decodable { let symbols: [Symbol] }
        try make("symbols")
        try expect([
            "swift", "symbolgraph-extract", "-module-name", library.rawValue, "-I", Build.modules, "-target",
            Build.target, "-minimum-access-level", "public", "-experimental-allowed-reexported-modules=KithCalls",
            "-output-dir", "symbols",
        ])
        let file = url.appending(path: "symbols/\(library.rawValue).symbols.json")
        return try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols
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
