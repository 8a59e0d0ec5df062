package import HTTP
package import JSON
package import Problems

/// A call of the API, as the documentation describes it.
package struct OpenAPIOperation: Sendable {
    /// The callers that are allowed.
    package enum Caller: Sendable {
        case anybody
        /// Anybody who names a tenant.
        case tenant
        /// A user with an access token.
        case user
        /// A tenant's server with a secret key of this scope.
        case key(scope: String)
    }

    /// The name of the call in generated clients.
    package let operationID: String
    package let method: HTTPMethod
    package let path: String
    package let caller: Caller
    package let summary: String
    package let details: String?
    /// The limits on repeating the call; nil for calls that only read.
    package let bound: String?
    /// The tag: the area of the product that documents list the call under.
    package let area: String
    /// All parameters except the body.
    package let parameters: [OpenAPIParameter]
    package let body: JSONSchema?
    package let bodyType: MediaType
    /// The largest body in bytes.
    package let maximumBody: Int
    package let answer: JSONSchema?
    package let answerType: MediaType
    /// The second format of the answer, for clients that accept it.
    package let otherAnswerType: MediaType?
    package let success: HTTPStatus
    /// The status of the answer if the thing already existed.
    package let successIfThere: HTTPStatus?
    /// Whether the answer may lead elsewhere instead, by 302.
    package let mayRedirect: Bool
    package let takesIdempotencyKey: Bool
    /// The call's own refusals, besides those that any call of its kind can give.
    package let specificRefusals: [ProblemCode]
    /// All refusals that the call can give.
    package let refusals: Set<ProblemCode>

    /// Describes a call.
    package init(
        operationID: String, method: HTTPMethod, path: String,
        caller: Caller, summary: String, details: String?,
        bound: String?, area: String, parameters: [OpenAPIParameter],
        body: JSONSchema?, bodyType: MediaType, maximumBody: Int,
        answer: JSONSchema?, answerType: MediaType, otherAnswerType: MediaType?,
        success: HTTPStatus, successIfThere: HTTPStatus?, mayRedirect: Bool, takesIdempotencyKey: Bool,
        specificRefusals: [ProblemCode], refusals: Set<ProblemCode>
    ) {
        self.operationID = operationID
        self.method = method
        self.path = path
        self.caller = caller
        self.summary = summary
        self.details = details
        self.bound = bound
        self.area = area
        self.parameters = parameters
        self.body = body
        self.bodyType = bodyType
        self.maximumBody = maximumBody
        self.answer = answer
        self.answerType = answerType
        self.otherAnswerType = otherAnswerType
        self.success = success
        self.successIfThere = successIfThere
        self.mayRedirect = mayRedirect
        self.takesIdempotencyKey = takesIdempotencyKey
        self.specificRefusals = specificRefusals
        self.refusals = refusals
    }

    /// Writes the members of the operation object.
    package func write(into json: inout JSONWriter) {
        json.field("operationId", operationID)
        // The answer has no end. Generators of clients leave such a call out, or return its bytes as they arrive.
        if answerType == .events { json.field("x-streaming", true) }
        json.field("summary", summary)
        let paragraphs = [details, neededScope, bound.map { "Limits: " + $0 }].compactMap { $0 }
        if !paragraphs.isEmpty { json.field("description", paragraphs.joined(separator: "\n\n")) }
        json.array("tags", [area]) { json, area in json.string(area) }
        json.array("security", securityScheme.map { [$0] } ?? []) { json, scheme in
            // OpenAPI 3.1 lists the roles that a call needs where the scheme has no scopes of its own.
            json.object { json in json.array(scheme, scope.map { [$0] } ?? []) { $0.string($1) } }
        }
        if !parameters.isEmpty {
            json.array("parameters", parameters) { json, parameter in parameter.write(into: &json) }
        }
        if let body {
            json.object("requestBody") { json in
                let type =
                    bodyType == .bytes ? " Content-Type is the type of the content, such as application/pdf." : ""
                json.field("description", "At most \(maximumBody) bytes.\(type)")
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
            if mayRedirect {
                json.object(String(HTTPStatus.found.rawValue)) { json in
                    json.field("description", "Location leads elsewhere.")
                    OpenAPIHeader.write([.requestID, .location], into: &json)
                }
            }
            if let successIfThere { writeSuccess(successIfThere, "It already existed.", into: &json) }
            for refusal in OpenAPIRefusal.of(self) {
                json.object(String(refusal.status.rawValue)) { $0.field("$ref", refusal.reference) }
            }
        }
    }

    /// The schema of the body as a component, if the call describes it in place. Generated clients name the body's type
    /// by it.
    package var bodyComponent: JSONComponent? {
        guard let body, case .object = body else { return nil }
        let name = operationID.prefix(1).uppercased() + operationID.dropFirst() + "Request"
        return JSONComponent(name: name, schema: body)
    }

    /// The name of the security scheme that the call requires; nil where no credential is needed.
    private var securityScheme: String? {
        switch caller {
        case .anybody, .tenant: nil
        case .user: "accessToken"
        case .key: "secretKey"
        }
    }

    /// The scope that the caller's secret key needs; nil where no key is needed.
    private var scope: String? {
        if case .key(let scope) = caller { scope } else { nil }
    }

    private var neededScope: String? {
        scope.map { "Requires a secret key with the scope \($0)." }
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
            if let answer { write(answer, answerType, orAs: otherAnswerType, isClosed: false, into: &json) }
        }
    }

    private func write(
        _ schema: JSONSchema, _ type: MediaType, orAs other: MediaType? = nil, isClosed: Bool = true,
        into json: inout JSONWriter
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
                        json.object("schema") { schema.write(into: &$0, isClosed: isClosed) }
                    }
                    if ![.html, .text, .atom].contains(type) { json.field("example", json: schema.example()) }
                }
            }
            if let other {
                json.object(other.rawValue) { json in json.object("schema") { $0.field("type", "string") } }
            }
        }
    }
}
