internal import HTTP

/// The OpenAPI 3.1 document, written from the endpoints that are served.
enum OpenAPIDocument {
    /// The document as JSON text; made once.
    static let text: [UInt8] = {
        var json = JSONWriter()
        json.object { json in
            json.field("openapi", "3.1.0")
            json.object("info") { json in
                json.field("title", "Kith")
                json.field("version", "1")
                json.field(
                    "summary",
                    "The backend of apps in which people look after one another: daily pings between connected people.")
            }
            json.object("paths") { json in writePaths(into: &json) }
            json.object("components") { json in
                json.object("securitySchemes") { json in writeSecuritySchemes(into: &json) }
                json.object("schemas") { json in writeSchemas(into: &json) }
            }
        }
        return json.bytes
    }()

    private static func writePaths(into json: inout JSONWriter) {
        var paths: [String] = []
        for endpoint in Endpoint.all where !paths.contains(endpoint.path) { paths.append(endpoint.path) }
        for path in paths {
            json.object(path) { json in
                for endpoint in Endpoint.all where endpoint.path == path {
                    json.object(endpoint.method.rawValue.lowercased()) { json in write(endpoint, into: &json) }
                }
            }
        }
    }

    private static func write(_ endpoint: Endpoint, into json: inout JSONWriter) {
        json.field("operationId", operationID(endpoint))
        json.field("summary", endpoint.summary)
        json.array("tags", [endpoint.area]) { json, area in json.string(area) }
        let scheme: String? =
            switch endpoint.caller {
            case .open, .tenant: nil
            case .user: "accessToken"
            case .key: "secretKey"
            }
        if let scheme {
            json.array("security", [scheme]) { json, scheme in
                json.object { json in json.array(scheme, [String]()) { $0.string($1) } }
            }
        }
        var parameters = endpoint.parameters.compactMap(Parameter.init)
        if endpoint.takesIdempotencyKey { parameters.append(.idempotencyKey) }
        if case .tenant = endpoint.caller { parameters.append(.tenant) }
        if !parameters.isEmpty {
            json.array("parameters", parameters) { json, parameter in parameter.write(into: &json) }
        }
        if let body = endpoint.body {
            json.object("requestBody") { json in
                json.field("required", body.requiresMembers)
                json.object("content") { json in
                    json.object(endpoint.bodyType.rawValue) { json in json.object("schema") { body.write(into: &$0) } }
                }
            }
        }
        json.object("responses") { json in writeResponses(of: endpoint, into: &json) }
    }

    private static func writeResponses(of endpoint: Endpoint, into json: inout JSONWriter) {
        var statuses = [endpoint.success]
        if endpoint.success == .created, endpoint.path != "/v1/tokens", endpoint.path != "/v1/me/codes",
            endpoint.path != "/v1/connection-invitations"
        {
            statuses.append(.ok)
        }
        for status in statuses {
            json.object(String(status.rawValue)) { json in
                json.field("description", status == endpoint.success ? endpoint.summary : "It was there already.")
                if let answer = endpoint.answer {
                    json.object("content") { json in
                        json.object(endpoint.answerType.rawValue) { json in
                            json.object("schema") { answer.write(into: &$0) }
                        }
                    }
                }
            }
        }
        let codes = Dictionary(grouping: problems(of: endpoint), by: \.entry.status.rawValue)
        for (status, codes) in codes.sorted(by: { $0.key < $1.key }) {
            json.object(String(status)) { json in
                json.field("description", codes.map(\.rawValue).sorted().joined(separator: ", "))
                json.object("content") { json in
                    json.object("application/problem+json") { json in
                        json.object("schema") { $0.field("$ref", "#/components/schemas/Problem") }
                    }
                }
            }
        }
    }

    /// The endpoint's own refusals and those that any call of its kind can meet.
    private static func problems(of endpoint: Endpoint) -> Set<ProblemCode> {
        var codes = Set(endpoint.problems)
        guard endpoint.path.hasPrefix("/v1/") else { return codes }
        codes.formUnion([
            .invalidRequest, .unauthenticated, .forbidden, .tenantSuspended, .validationFailed, .tooManyRequests,
            .internal, .unavailable,
        ])
        if endpoint.takesIdempotencyKey { codes.insert(.idempotencyMismatch) }
        if endpoint.body != nil { codes.formUnion([.payloadTooLarge, .unsupportedMediaType]) }
        return codes
    }

    /// `getConnectionsById` of `GET /v1/connections/{id}`: stable as long as method and path are.
    private static func operationID(_ endpoint: Endpoint) -> String {
        let words = endpoint.path.split { !$0.isLetter && !$0.isNumber && $0 != "{" }.filter { $0 != "v1" }
        return endpoint.method.rawValue.lowercased()
            + words.map { word in
                let isParameter = word.hasPrefix("{")
                let name = word.drop { $0 == "{" }
                return (isParameter ? "By" : "") + name.prefix(1).uppercased() + name.dropFirst()
            }.joined()
    }

    private static func writeSecuritySchemes(into json: inout JSONWriter) {
        json.object("accessToken") { json in
            json.field("type", "http")
            json.field("scheme", "bearer")
            json.field("bearerFormat", "JWT")
            json.field("description", "A user's access token.")
        }
        json.object("secretKey") { json in
            json.field("type", "http")
            json.field("scheme", "bearer")
            json.field("description", "A secret key of the tenant's server: kith_sk_….")
        }
    }

    private static func writeSchemas(into json: inout JSONWriter) {
        json.object("Problem") { JSONComponent.problem.schema.write(into: &$0) }
        for component in JSONComponent.all {
            json.object(component.name) { component.schema.write(into: &$0) }
        }
    }

    /// One parameter of the path or the query.
    private struct Parameter {
        let name: String
        let place: String
        let summary: String
        let required: Bool
        let schema: JSONSchema

        static let idempotencyKey = Parameter(
            name: "Idempotency-Key", place: "header",
            summary: "Chosen anew for each act: a repeat with the same key gets the same answer and does nothing.",
            required: false, schema: .string(.line, length: 1...IdempotencyKey.longest))

        static let tenant = Parameter(
            name: "X-Kith-Tenant", place: "header", summary: "The slug of the tenant.", required: true,
            schema: .string(.line, length: 1...63))

        private init(name: String, place: String, summary: String, required: Bool, schema: JSONSchema) {
            self.name = name
            self.place = place
            self.summary = summary
            self.required = required
            self.schema = schema
        }

        init?(_ argument: Argument) {
            switch argument {
            case .path(let name, let format):
                (self.name, place, summary, required, schema) = (name, "path", "", true, .string(format))
            case .query(let name, let type, let summary, let required):
                (self.name, place, self.summary, self.required) = (name, "query", summary, required)
                schema =
                    switch type {
                    case .text(let format): .string(format)
                    case .oneOf(let values): .oneOf(values)
                    case .boolean: .boolean
                    }
            case .limit:
                (name, place, required) = ("limit", "query", false)
                summary = "How many items at most; 50 where it is not given."
                schema = .integer(1...200)
            case .cursor(let format):
                (name, place, required) = ("cursor", "query", false)
                summary = "Where to go on: the next_cursor of the page before."
                schema = .string(format)
            case .body, .member, .now: return nil
            }
        }

        func write(into json: inout JSONWriter) {
            json.object { json in
                json.field("name", name)
                json.field("in", place)
                if required { json.field("required", true) }
                if !summary.isEmpty { json.field("description", summary) }
                json.object("schema") { schema.write(into: &$0) }
            }
        }
    }
}

extension JSONComponent {
    /// Every named schema but the problem document, in the order of the documents.
    static let all: [JSONComponent] = [
        .user, .tenant, .accessToken, .signIn, .jwtKey, .senderProfile, .receiverProfile, .code, .codePreview, .ping,
        .break, .connection,
        .dashboard, .checkIn, .notification, .device, .block, .quietHours, .notificationPreferences, .importResult,
        .invitationRecipient,
        .connectionInvitation, .connectionInvitationSummary,
    ]

    static let problem = JSONComponent(
        name: "Problem",
        schema: .object([
            .init("type", .string(.line), required: true),
            .init("title", .string(.line), required: true),
            .init("status", .integer(400...599), required: true),
            .init("code", .oneOf(ProblemCode.all.map(\.rawValue)), required: true, "Stable: decide by it."),
            .init("detail", .string(.line, length: 1...500), required: true, "For a person to read."),
            .init("retryable", .boolean, required: true, "Whether trying again can help."),
            .init("request_id", .string(.line), required: true),
            .init(
                "errors",
                .array(
                    of: .object([
                        .init("field", .string(.text), required: true),
                        .init("message", .string(.line), required: true),
                    ]), count: 0...1000), "Each field that is not valid."),
        ]))
}
