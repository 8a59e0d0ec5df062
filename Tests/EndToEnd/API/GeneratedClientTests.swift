import Foundation
import TestThreads
import Testing

/// Generates clients and models from the document that a server publishes, as the developers of an app do. A warning
/// tells that a client lacks something or reads badly, so there may be none that another document would avoid.
@Suite(.mayBlock) struct `A generated client` {
    private let installation: Installation
    private let server: KithProcess
    private let client: APIClient

    init() throws {
        installation = try Installation()
        (server, client) = try installation.serve()
    }

    /// A warning that any document with this feature causes. It is the beginning of the warning.
    private struct Limit {
        let warning: String
        let reason: String
    }

    @Test func `in Python plays the main story with its types alone`() async throws {
        let folder = try await folder()
        defer { end(folder) }
        let generated = try generate(
            "openapi-python-client",
            [
                "generate", "--path", "openapi.json", "--output-path", "kith", "--meta", "none", "--config",
                Self.clients.appending(path: "openapi-python-client.json").path,
            ], in: folder)
        // A warning is a line, and its reason the next one that is not empty.
        let lines = generated.split(separator: "\n")
        let warnings = zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("WARNING") || $0.0.hasPrefix("ERROR") }
        expect(
            warnings.map { "\($0) \($1)" },
            [
                Limit(
                    warning:
                        """
                        WARNING parsing POST /v1/users:import within users. Endpoint will not be generated. \
                        Unsupported content type application/x-ndjson
                        """,
                    reason: "It sends JSON, forms and bytes only."),
                Limit(
                    warning:
                        """
                        WARNING parsing POST /v1/tenant/import within tenant. Endpoint will not be generated. \
                        Unsupported content type application/x-ndjson
                        """,
                    reason: "It sends JSON, forms and bytes only."),
                Limit(
                    warning: "WARNING parsing GET /status.atom within pages. Cannot parse response for status code",
                    reason: "It reads JSON, texts and bytes only."),
            ])
        let calls = try Set(
            files(in: folder.appending(path: "kith/api"), "py").map { $0.deletingPathExtension() }
                .map(\.lastPathComponent))
        let missing = try await operations().filter { !calls.contains(Self.snakeCase($0)) }
        #expect(Set(missing) == ["importItems", "importUsers"])
        let (status, output) = try run(
            "python", [Self.clients.appending(path: "story.py").path, "openapi.json"], in: folder,
            environment: [
                "KITH_URL": client.base.absoluteString, "KITH_KEY": installation.acme.secretKey,
                "PYTHONPATH": folder.path,
            ])
        #expect(status == 0, "\(output)")
    }

    @Test func `of models in Python reads every example and the answers of the server`() async throws {
        let folder = try await folder()
        defer { end(folder) }
        let log = try generate(
            "datamodel-codegen",
            [
                "--input", "openapi.json", "--input-file-type", "openapi", "--output-model-type",
                "pydantic_v2.BaseModel", "--formatters", "builtin", "--output", "kith_models.py",
            ], in: folder)
        #expect(log == "", "it warns of nothing")
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let (status, output) = try run(
            "python", ["-W", "error", Self.clients.appending(path: "models.py").path, "openapi.json"], in: folder,
            environment: [
                "KITH_URL": client.base.absoluteString, "KITH_KEY": installation.acme.secretKey,
                "KITH_TOKEN": alice.token, "PYTHONPATH": folder.path,
            ])
        #expect(status == 0, "\(output)")
    }

    @Test func `in Swift has every call, and compiles`() async throws {
        let folder = try await folder()
        defer { end(folder) }
        let log = try generate("openapi-generator-cli", Self.generate("swift6"), in: folder)
        expect(
            Self.warnings(in: log),
            Self.limits + [
                Limit(
                    warning: "Type (reserved word) cannot be used as model name.",
                    reason: "Members with one value have the name type."),
                Limit(
                    warning: "Locale (reserved word) cannot be used as model name.",
                    reason: "The path of a tenant's texts has a parameter with that name."),
                Limit(
                    warning: "Range (reserved word) cannot be used as model name.",
                    reason: "HTTP names the header."),
            ])
        let files = try files(in: folder.appending(path: "client/Sources"), "swift")
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let missing = try await operations().filter { !text.contains("func \($0)(") }
        #expect(missing == [])
        // A date would otherwise be sent as an instant, which the server refuses.
        #expect(text.contains("from: OpenAPIDateWithoutTime, until: OpenAPIDateWithoutTime"))
        let (status, output) = try Tool.run(
            URL(filePath: "/usr/bin/env"),
            ["swiftc", "-typecheck", "-wmo", "-swift-version", "6"] + files.map(\.path), in: folder)
        #expect(status == 0, "\(output.prefix(4000))")
        // The generator writes this cast for each shape of a union, if it is to keep unknown values.
        let warnings = output.split(separator: "\n").filter { $0.contains(" warning: ") }
        #expect(warnings.filter { !$0.hasSuffix("to 'any UnknownCaseCheckable' always succeeds") } == [])
    }

    @Test func `in TypeScript has every call`() async throws {
        let folder = try await folder()
        defer { end(folder) }
        let log = try generate("openapi-generator-cli", Self.generate("typescript-fetch"), in: folder)
        expect(
            Self.warnings(in: log),
            Self.limits + [
                Limit(
                    warning: "Date (model name matches existing language type) cannot be used as a model name.",
                    reason: "It warns of each parameter with the name date.")
            ])
        let text = try files(in: folder.appending(path: "client/apis"), "ts").map {
            try String(contentsOf: $0, encoding: .utf8)
        }.joined()
        let missing = try await operations().filter { !text.contains("async \($0)(") }
        #expect(missing == [])
    }

    /// The warnings that openapi-generator gives for the smallest document of OpenAPI 3.1.
    private static let limits = [
        Limit(warning: "OpenAPI 3.1 support is still in beta.", reason: "The document is of OpenAPI 3.1."),
        Limit(warning: "Failed to get the schema name: null", reason: "It looks for a schema that no document has."),
    ]

    /// Expects no warnings but those, and each of those: a limit that is gone leaves the list.
    private func expect(_ warnings: [String], _ limits: [Limit], location: SourceLocation = #_sourceLocation) {
        let avoidable = warnings.filter { warning in !limits.contains { warning.hasPrefix($0.warning) } }
        #expect(avoidable == [], sourceLocation: location)
        let gone = limits.filter { limit in !warnings.contains { $0.hasPrefix(limit.warning) } }
        #expect(gone.map(\.warning) == [], sourceLocation: location)
    }

    /// The texts of the warnings and errors in the log of openapi-generator.
    private static func warnings(in log: String) -> [String] {
        log.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\[[^\]]+\] (WARN|ERROR) .*? - (.*)/).map { String($0.2) }
        }
    }

    private static func generate(_ language: String) -> [String] {
        ["generate", "--config", clients.appending(path: "\(language).json").path]
    }

    /// Runs a generator, which must succeed; all that it wrote.
    private func generate(_ program: String, _ arguments: [String], in folder: URL) throws -> String {
        let (status, output) = try run(program, arguments, in: folder)
        #expect(status == 0, "\(output)")
        return output
    }

    private func run(
        _ program: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try Tool.run(
            Self.clients.appending(path: "run"), [program] + arguments, environment: environment, in: folder)
    }

    /// A new folder with the server's document.
    private func folder() async throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await client.exchange("GET", "/openapi.json").body.write(to: folder.appending(path: "openapi.json"))
        return folder
    }

    private func end(_ folder: URL) {
        server.signal(SIGTERM)
        try? FileManager.default.removeItem(at: folder)
    }

    private func operations() async throws -> [String] {
        try await OpenAPI(client).operations.map(\.id)
    }

    private func files(in folder: URL, _ type: String) throws -> [URL] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return paths.map { folder.appending(path: $0) }.filter { $0.pathExtension == type }
    }

    private static func snakeCase(_ name: String) -> String {
        name.replacing(/[A-Z]/) { "_" + $0.output.lowercased() }
    }

    private static let clients = Tool.tests.appending(path: "Clients")
}
