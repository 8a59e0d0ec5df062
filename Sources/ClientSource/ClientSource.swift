internal import HTTP
package import OpenAPI

/// The Swift source of the client library's calls and values, which is generated from the description of the API.
package struct ClientSource {
    /// The files, by their paths: a folder for each area, in it a file for each value, and two for the calls.
    package let files: [String: String]
    /// A file of the tests: the values that the client reads, with their schemas.
    package let valueTable: String
    /// Files of the tests, by their names: every call, made with the examples of the description. One for each area,
    /// and the one that knows the others.
    package let testCalls: [String: String]
    private let calls: ClientCalls
    private let document: OpenAPIDocument

    /// Generates the source of the calls and values of `document`. It still needs to be formatted.
    package init(_ document: OpenAPIDocument) {
        let types = ClientTypes(document)
        let calls = ClientCalls(types: types)
        var files: [String: String] = [:]
        for area in document.areas {
            let operations = document.operations.filter { $0.area == area && $0.isCalled }
            let name = SwiftName.type(area)
            let functions = operations.map { calls.function(of: $0) }.filter { !$0.isEmpty }
            if !functions.isEmpty {
                let body = "extension KithAPI {\n\(functions.joined(separator: "\n"))}\n"
                files["\(name)/KithAPI+\(name).swift"] = Self.file(body, import: Self.import(for: body))
            }
            if !operations.isEmpty {
                let body = operations.map { calls.call($0) }.joined(separator: "\n")
                files["\(name)/KithCalls+\(name).swift"] = Self.file(
                    "extension KithCalls {\n\(body)}\n", import: "import Foundation")
            }
            for type in types.all where type.area == area {
                let body = "extension Kith {\n\(types.source(of: type))}\n"
                files["\(name)/\(type.name).swift"] = Self.file(body, import: Self.import(for: body))
            }
        }
        self.files = files
        valueTable = Self.table(types.all.filter(\.isReceived))
        testCalls = Self.testCalls(document, types, calls)
        self.calls = calls
        self.document = document
    }

    /// The table of all operations in Markdown: the request, the library's function, and the test that makes the call.
    /// `uses` has the hand-written parts of the library that make each call.
    package func callTable(uses: [String: [String]]) -> String {
        var text = ""
        for area in document.areas {
            text += "\n## \(area)\n\n| operation | request | KithClient | test |\n|---|---|---|---|\n"
            for operation in document.operations where operation.area == area {
                let hasFunction = operation.isCalled && !operation.isStreamed
                var functions = hasFunction ? ["`api.\(calls.signature(of: operation))`"] : []
                functions += (uses[operation.operationID] ?? []).map { "`\($0)`" }
                let library = operation.isCalled ? functions.joined(separator: ", ") : "no call"
                let test = operation.isCalled ? "LibraryCallTests" : "ConformanceTests"
                let request = "\(operation.method.rawValue) \(operation.path)"
                text += "| `\(operation.operationID)` | `\(request)` | \(library) | `\(test)` |\n"
            }
        }
        return text
    }

    private static func testCalls(
        _ document: OpenAPIDocument, _ types: ClientTypes, _ calls: ClientCalls
    ) -> [String: String] {
        var files: [String: String] = [:]
        var areas: [String] = []
        for area in document.areas {
            let name = SwiftName.type(area)
            let operations = document.operations.filter { $0.area == area && $0.isCalled }
            if operations.isEmpty { continue }
            areas.append(name)
            let cases = operations.map { calls.testCase(of: $0) }.joined()
            let readings = types.all.filter { $0.area == area }.map { types.requestReading(of: $0) }
            files["LibraryCall+\(name).swift"] = file(
                """
                extension LibraryCall {\n/// Makes a call of the area \(area); false if the library has none.
                static func make\(name)(_ call: DocumentedCall, by api: KithAPI) async throws -> Bool {
                switch call.operation.id {\n\(cases)default: return false\n}\nreturn true\n}\n}\n\n
                """
                    + readings.filter { !$0.isEmpty }.joined(separator: "\n"),
                import: "import Foundation\nimport KithClient")
        }
        let tries = areas.map { "if try await make\($0)(call, by: api) { return true }\n" }.joined()
        files["LibraryCall+all.swift"] = file(
            """
            extension LibraryCall {\n/// Makes the call with KithClient's function for it; false if the library has none.
            static func make(_ call: DocumentedCall, by api: KithAPI) async throws -> Bool {
            \(tries)return false\n}\n}\n
            """, import: "import Foundation\nimport KithClient")
        return files
    }

    private static func table(_ types: [ClientType]) -> String {
        let rows = types.map { "GeneratedValue(\"\($0.name)\", Kith.\($0.name).self)," }
        return "// Generated by `make client` from the description of the API.\n\nimport KithClient\n\n"
            + "extension GeneratedValue {\n/// Every value that the client reads.\n"
            + "static let all: [GeneratedValue] = [\n\(rows.joined(separator: "\n"))\n]\n}\n"
    }

    private static func file(_ body: String, import line: String?) -> String {
        "// Generated by `make client` from the description of the API.\n\n" + (line.map { "\($0)\n\n" } ?? "") + body
    }

    /// The import that declarations need; nil if none of their types is one of Foundation's.
    private static func `import`(for body: String) -> String? {
        let usesFoundation = body.split(whereSeparator: \.isNewline).contains { line in
            guard line.hasPrefix("public ") || line.hasPrefix("case ") else { return false }
            return line.split { !$0.isLetter && !$0.isNumber }.contains { $0 == "UUID" || $0 == "Date" || $0 == "Data" }
        }
        return usesFoundation ? "public import Foundation" : nil
    }
}
