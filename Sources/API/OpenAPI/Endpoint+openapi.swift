internal import HTTP

extension Endpoint {
    /// Writes the members of the endpoint's operation object.
    func write(into json: inout JSONWriter) {
        json.field("operationId", operationID)
        json.field("summary", summary)
        let paragraphs = [details, bound.map { "Limits: " + $0 }].compactMap { $0 }
        if !paragraphs.isEmpty { json.field("description", paragraphs.joined(separator: "\n\n")) }
        json.array("tags", [area]) { json, area in json.string(area) }
        json.array("security", securityScheme.map { [$0] } ?? []) { json, scheme in
            json.object { json in json.array(scheme, [String]()) { $0.string($1) } }
        }
        if !documentedParameters.isEmpty {
            json.array("parameters", documentedParameters) { json, parameter in parameter.write(into: &json) }
        }
        if let body {
            json.object("requestBody") { json in
                json.field("description", "At most \(bodyRule.maximum) bytes.")
                json.field("required", body.requiresMembers)
                write(bodyComponent.map { .component($0) } ?? body, bodyType, into: &json)
            }
        }
        json.object("responses") { json in
            writeSuccess(success, "Success.", into: &json)
            if answerType == .content {
                writeSuccess(.partialContent, "The requested part.", into: &json)
                json.object(String(HTTPStatus.notModified.rawValue)) { json in
                    json.field("description", "The content still has the ETag that was sent.")
                    OpenAPIHeader.write([.requestID, .entityTag], into: &json)
                }
            }
            if let successIfThere { writeSuccess(successIfThere, "It already existed.", into: &json) }
            for refusal in OpenAPIRefusal.of(self) {
                json.object(String(refusal.status.rawValue)) { $0.field("$ref", refusal.reference) }
            }
        }
    }

    /// The schema of the body as a component, if the endpoint describes it in place. Generated clients name the body's type by it.
    var bodyComponent: JSONComponent? {
        guard let body, case .object = body else { return nil }
        let name = operationID.prefix(1).uppercased() + operationID.dropFirst() + "Request"
        return JSONComponent(name: name, schema: body)
    }

    /// The name of the security scheme that the call requires; nil where no credential is needed.
    private var securityScheme: String? {
        switch caller {
        case .open, .tenant: nil
        case .user: "accessToken"
        case .key: "secretKey"
        }
    }

    private func writeSuccess(_ status: HTTPStatus, _ description: String, into json: inout JSONWriter) {
        json.object(String(status.rawValue)) { json in
            json.field("description", description)
            var headers = [OpenAPIHeader.requestID]
            if takesIdempotencyKey { headers.append(.replayed) }
            if answerType == .content {
                headers += [.entityTag, .disposition, .acceptsRanges]
                if status == .partialContent { headers.append(.range) }
            }
            OpenAPIHeader.write(headers, into: &json)
            if let answer { write(answer, answerType, orAs: otherAnswerType, into: &json) }
        }
    }

    private func write(
        _ schema: JSONSchema, _ type: MediaType, orAs other: MediaType? = nil, into json: inout JSONWriter
    ) {
        json.object("content") { json in
            // Many generators do not know the range of all types. They use the type of bytes before it.
            for type in type == .content ? [.bytes, .content] : [type] {
                json.object(type.rawValue) { json in
                    if type == .content || type == .bytes {
                        json.object("schema") { json in
                            json.field("type", "string")
                            json.field("format", "binary")
                        }
                    } else {
                        json.object("schema") { schema.write(into: &$0) }
                    }
                    if type != .html { json.field("example", json: schema.example()) }
                }
            }
            if let other {
                json.object(other.rawValue) { json in json.object("schema") { $0.field("type", "string") } }
            }
        }
    }
}
