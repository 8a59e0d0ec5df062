internal import HTTP
package import OpenAPI

/// The Swift source of the libraries' calls and values, which is generated from the description of the API.
package struct ClientSource {
    /// The files of each library, by their paths: a folder for each area, in it a file for each value, and two for the
    /// calls.
    package let files: [Product: [String: String]]
    /// A file of the tests: the values that the libraries read, with their schemas.
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
        var files: [Product: [String: String]] = [:]
        for area in document.areas + [OpenAPIWebhook.area] {
            let name = SwiftName.type(area)
            for (product, type) in Self.callers {
                let operations = document.operations.filter { $0.area == area && $0.product == product }
                let functions = operations.map { calls.function(of: $0) }.filter { !$0.isEmpty }
                if !functions.isEmpty {
                    let body = "extension \(type) {\n\(functions.joined(separator: "\n"))}\n"
                    files[product, default: [:]]["\(name)/\(type)+\(name).swift"] = Self.file(
                        body, import: Self.import(for: body))
                }
                let values = operations.filter(\.hasValue).map { calls.call($0) }
                if !values.isEmpty {
                    files[product, default: [:]]["\(name)/KithCalls+\(name).swift"] = Self.file(
                        "extension KithCalls {\n\(values.joined(separator: "\n"))}\n", import: "import Foundation")
                }
            }
            for type in types.all where type.area == area {
                let body = "extension Kith {\n\(types.source(of: type))}\n"
                files[type.product, default: [:]]["\(name)/\(type.name).swift"] = Self.file(
                    body, import: Self.import(for: body))
            }
        }
        self.files = files
        valueTable = Self.table(types.all.filter(\.isReceived))
        testCalls = Self.testCalls(document, types, calls)
        self.calls = calls
        self.document = document
    }

    /// The table of all operations in Markdown: the request, the library that has it, the functions there, and the test
    /// that makes the call. `uses` has the hand-written parts of the libraries that make each call.
    package func callTable(uses: [String: [String]]) -> String {
        var text = ""
        for area in document.areas {
            text += "\n## \(area)\n\n| operation | request | library | functions | test |\n|---|---|---|---|---|\n"
            for operation in document.operations where operation.area == area {
                var functions = operation.written?.names.map { "`kith.\($0)`" } ?? []
                if operation.hasFunction {
                    let caller = operation.product == .server ? "server" : "kith.api"
                    functions.append("`\(caller).\(calls.signature(of: operation))`")
                }
                functions += (uses[operation.operationID] ?? []).map { "`\($0)`" }
                let libraries = operation.libraries.map(\.rawValue).joined(separator: ", ")
                let test = operation.isCalled ? "LibraryCallTests" : "ConformanceTests"
                let request = "\(operation.method.rawValue) \(operation.path)"
                text += "| `\(operation.operationID)` | `\(request)` | \(libraries) "
                text += "| \(operation.isCalled ? functions.joined(separator: ", ") : "no call") | `\(test)` |\n"
            }
        }
        return text
    }

    private static func testCalls(
        _ document: OpenAPIDocument, _ types: ClientTypes, _ calls: ClientCalls
    ) -> [String: String] {
        var files: [String: String] = [:]
        var makers: [Product: [String]] = [:]
        for area in document.areas {
            let name = SwiftName.type(area)
            var body = ""
            for (product, type) in callers {
                let operations = document.operations.filter { $0.area == area && $0.product == product }
                let cases = operations.map { calls.testCase(of: $0) }.joined()
                if cases.isEmpty { continue }
                makers[product, default: []].append(name)
                body += """
                    /// Makes a call of the area \(area); false if the library has no generated function for it.
                    static func make\(name)(_ call: DocumentedCall, by caller: \(type)) async throws -> Bool {
                    switch call.operation.id {\n\(cases)default: return false\n}\nreturn true\n}\n\n
                    """
            }
            if body.isEmpty { continue }
            let readings = types.all.filter { $0.area == area }.map { types.requestReading(of: $0) }
            files["LibraryCall+\(name).swift"] = file(
                "extension LibraryCall {\n\(body)}\n\n" + readings.filter { !$0.isEmpty }.joined(separator: "\n"),
                import: "import Foundation\nimport KithClient\nimport KithServer")
        }
        var body = ""
        for (product, type) in callers {
            let tries = makers[product, default: []].map {
                "if try await make\($0)(call, by: caller) { return true }\n"
            }
            body += """
                /// Makes the call with the generated function for it; false if there is none.
                static func make(_ call: DocumentedCall, by caller: \(type)) async throws -> Bool {
                \(tries.joined())return false\n}\n\n
                """
        }
        files["LibraryCall+all.swift"] = file(
            "extension LibraryCall {\n\(body)}\n", import: "import Foundation\nimport KithClient\nimport KithServer")
        return files
    }

    /// The libraries with calls, and the types whose functions these are.
    private static let callers = [(Product.client, "KithAPI"), (.server, "KithServer")]

    private static func table(_ types: [ClientType]) -> String {
        let rows = types.map { "GeneratedValue(\"\($0.name)\", Kith.\($0.name).self)," }
        return
            "// Generated by `make client` from the description of the API.\n\nimport KithClient\nimport KithServer\n\n"
            + "extension GeneratedValue {\n/// Every value that the libraries read.\n"
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
        if usesFoundation { return "public import Foundation" }
        return body.contains(": JSONDecoder") ? "import Foundation" : nil
    }
}
