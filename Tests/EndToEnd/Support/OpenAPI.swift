import Foundation

/// The OpenAPI document that a server publishes, read as a client reads it.
struct OpenAPI: Sendable {
    let document: JSON
    let operations: [Operation]

    /// One operation.
    struct Operation: Sendable {
        let id: String
        let method: String
        let path: String
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
        let document = try await JSON(client.exchange("GET", "/openapi.json").body)
        self.document = document
        operations = (document["paths"]?.object ?? [:]).sorted { $0.key < $1.key }.flatMap { path, methods in
            methods.object.sorted { $0.key < $1.key }.map { method, operation in
                let content = operation["requestBody"]?["content"]?.object.first
                return Operation(
                    id: operation["operationId"]?.string ?? "", method: method.uppercased(), path: path,
                    security: operation["security"]?.array.first?.object.keys.first,
                    parameters: operation["parameters"]?.array ?? [],
                    body: content.map { ($0.key, $0.value["schema"] ?? .null, $0.value["example"] ?? .null) },
                    responses: operation["responses"]?.object ?? [:])
            }
        }
    }

    /// The operation that a request addresses; nil if the document has none.
    func operation(_ method: String, _ path: String) -> Operation? {
        let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let candidates = operations.filter { operation in
            let pattern = operation.path.split(separator: "/", omittingEmptySubsequences: false)
            return operation.method == method && pattern.count == segments.count
                && zip(pattern, segments).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
        }
        return candidates.min { $0.path.count { $0 == "{" } < $1.path.count { $0 == "{" } }
    }

    /// The ways in which an answer differs from the operation's description.
    func faults(of answer: APIClient.Answer, to operation: Operation) -> [String] {
        guard var response = operation.responses[String(answer.status)] else {
            return ["the status \(answer.status) is not documented: \(answer.text)"]
        }
        var check = JSONSchemaCheck(document: document)
        if let reference = response["$ref"]?.string { response = check.resolve(reference) ?? .null }
        var faults: [String] = []
        for (name, header) in response["headers"]?.object ?? [:] {
            let header = header["$ref"]?.string.flatMap(check.resolve) ?? header
            if let value = answer.headers[name.lowercased()] {
                let isNumber = header["schema"]?["type"]?.string == "integer"
                check.check(
                    isNumber ? Double(value).map(JSON.number) ?? .null : .string(value), header["schema"] ?? .null,
                    at: name)
            } else if header["required"] == .bool(true) {
                faults.append("the header \(name) is missing")
            }
        }
        let type = String((answer.headers["content-type"] ?? "").prefix { $0 != ";" })
        guard let content = response["content"]?.object else {
            return faults + check.faults
                + (answer.body.isEmpty ? [] : ["a body that is not documented: \(answer.text)"])
        }
        if content["*/*"] != nil { return faults + check.faults }
        guard let documented = content[type] else { return faults + ["the type \(type) is not documented"] }
        // A schema of JSON Lines describes one line; a schema of an event stream describes one event, as EventClient reads it.
        let values =
            switch type {
            case "application/x-ndjson": answer.body.split(separator: UInt8(ascii: "\n"))
            case "text/event-stream": [Data]()
            default: [answer.body]
            }
        for value in values {
            let value = type == "text/html" ? JSON.string(answer.text) : (try? JSON(value)) ?? .string("no JSON")
            check.check(value, documented["schema"] ?? .null)
        }
        // The examples of a refusal have the codes that it can have.
        if type == "application/problem+json", let code = (try? JSON(answer.body))?["code"]?.string,
            documented["examples"]?[code] == nil
        {
            faults.append("the code \(code) is not documented")
        }
        return faults + check.faults
    }
}
