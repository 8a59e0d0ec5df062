import Foundation

/// The OpenAPI document that a server publishes, read as a client reads it.
struct OpenAPI: Sendable {
    let document: JSON
    let operations: [Operation]
    /// The operations by method and by the number of their path's segments.
    private let places: [Place: [Operation]]
    private let checker: SchemaChecker

    private struct Place: Hashable {
        let method: String
        let segments: Int
    }

    /// One operation.
    struct Operation: Sendable {
        let id: String
        let method: String
        let path: String
        /// The segments of the path; those in braces are parameters.
        let segments: [String]
        /// The name of its security scheme.
        let security: String?
        let parameters: [JSON]
        /// The media type of the body, with its schema and its example.
        let body: (type: String, schema: JSON, example: JSON)?
        let responses: [String: JSON]

        /// Whether its answer continues for as long as the client reads.
        var isStream: Bool { responses["200"]?["content"]?["text/event-stream"] != nil }

        /// The example values of the parameters in that place, by name.
        func examples(in place: String) -> [String: String] {
            parameters.filter { $0["in"]?.string == place && $0["required"] == .bool(true) }.reduce(into: [:]) {
                $0[$1["name"]?.string ?? ""] = $1["example"]?.string ?? ""
            }
        }
    }

    init(_ client: APIClient) async throws {
        let answer = try await client.exchange("GET", "/openapi.json")
        guard answer.status == 200 else { throw KithProcess.Failure(description: answer.text) }
        try self.init(answer.body)
    }

    /// Reads a document. Throws if a schema has something that would go unchecked.
    init(_ text: Data) throws {
        let document = try JSON(text)
        self.document = document
        checker = try SchemaChecker.of(text)
        let operations = (document["paths"]?.object ?? [:]).sorted { $0.key < $1.key }.flatMap { path, methods in
            methods.object.sorted { $0.key < $1.key }.map { method, operation in
                let content = operation["requestBody"]?["content"]?.object.first
                return Operation(
                    id: operation["operationId"]?.string ?? "", method: method.uppercased(), path: path,
                    segments: Self.segments(path[...]),
                    security: operation["security"]?.array.first?.object.keys.first,
                    parameters: operation["parameters"]?.array ?? [],
                    body: content.map { ($0.key, $0.value["schema"] ?? .null, $0.value["example"] ?? .null) },
                    responses: operation["responses"]?.object ?? [:])
            }
        }
        self.operations = operations
        places = Dictionary(grouping: operations) { Place(method: $0.method, segments: $0.segments.count) }
    }

    /// The operation that a request addresses; nil if the document has none.
    func operation(_ method: String, _ path: String) -> Operation? {
        let segments = Self.segments(path.prefix { $0 != "?" })
        let candidates = (places[Place(method: method, segments: segments.count)] ?? []).filter { operation in
            zip(operation.segments, segments).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
        }
        return candidates.min { $0.path.count { $0 == "{" } < $1.path.count { $0 == "{" } }
    }

    private static func segments(_ path: Substring) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    /// The part of the document at a JSON Pointer (RFC 6901), and the pointer to it: a `$ref` there is followed.
    func resolve(_ pointer: String) -> (part: JSON, pointer: String)? {
        let names = pointer.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        guard let part = names.reduce(document, { $0?[$1] }) else { return nil }
        return part["$ref"]?.string.map { resolve(String($0.dropFirst())) } ?? (part, pointer)
    }

    /// The ways in which a JSON text differs from a schema of the document's components.
    func faults(of value: JSON, as component: String) throws -> [String] {
        try checker.faults(of: [SchemaChecker.Value(schema: "/components/schemas/\(component)", text: value.text)])
    }

    /// The ways in which an answer differs from the operation's description.
    func faults(of answer: APIClient.Answer, to operation: Operation) throws -> [String] {
        let path = operation.path.replacing("~", with: "~0").replacing("/", with: "~1")
        let status = "/paths/\(path)/\(operation.method.lowercased())/responses/\(answer.status)"
        guard let (response, pointer) = resolve(status) else {
            return ["the status \(answer.status) is not documented: \(answer.text)"]
        }
        let headers = try checkedHeaders(of: answer, in: response, at: pointer)
        let body = try checkedBody(of: answer, in: response, at: pointer)
        return try headers.faults + body.faults + checker.faults(of: headers.values + body.values)
    }

    /// What is found at once, and the values that the checker is to be asked about.
    private typealias Checked = (faults: [String], values: [SchemaChecker.Value])

    private func checkedHeaders(of answer: APIClient.Answer, in response: JSON, at pointer: String) throws -> Checked {
        try (response["headers"]?.object.keys.sorted() ?? []).reduce(into: ([], [])) { checked, name in
            guard let (header, pointer) = resolve("\(pointer)/headers/\(name)") else { return }
            guard let value = answer.headers[name.lowercased()] else {
                if header["required"] == .bool(true) { checked.faults.append("the header \(name) is missing") }
                return
            }
            let isNumber = header["schema"]?["type"]?.string == "integer"
            checked.values.append(
                SchemaChecker.Value(
                    schema: "\(pointer)/schema", text: isNumber ? value : try JSON.string(value).text,
                    label: "the header \(name): "))
        }
    }

    private func checkedBody(of answer: APIClient.Answer, in response: JSON, at pointer: String) throws -> Checked {
        guard let content = response["content"]?.object else {
            return (answer.body.isEmpty ? [] : ["a body that is not documented: \(answer.text)"], [])
        }
        if content["*/*"] != nil { return ([], []) }
        let type = String((answer.headers["content-type"] ?? "").prefix { $0 != ";" })
        guard let documented = content[type] else { return (["the type \(type) is not documented"], []) }
        guard let text = String(data: answer.body, encoding: .utf8) else { return (["the body is not UTF-8"], []) }
        // A schema of JSON Lines describes one line; a schema of an event stream describes one event, as EventClient
        // reads it.
        let texts: [String] =
            switch type {
            case "application/x-ndjson": text.split(separator: "\n").map(String.init)
            case "text/event-stream": []
            case "text/html", "text/plain", "application/atom+xml": [try JSON.string(text).text]
            default: [text]
            }
        let schema = "\(pointer)/content/\(type.replacing("/", with: "~1"))/schema"
        let values = texts.map { SchemaChecker.Value(schema: schema, text: $0) }
        // The examples of a refusal have the codes that it can have.
        guard type == "application/problem+json", let code = try? JSON(answer.body)["code"]?.string else {
            return ([], values)
        }
        return (documented["examples"]?[code] == nil ? ["the code \(code) is not documented"] : [], values)
    }
}
