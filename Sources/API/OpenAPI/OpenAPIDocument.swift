internal import HTTP

/// The OpenAPI 3.1 document, generated from the served endpoints.
enum OpenAPIDocument {
    /// The document of the release `version`, as JSON text.
    static func text(version: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("openapi", "3.1.0")
            json.object("info") { json in
                json.field("title", "Kith")
                json.field("version", version)
                json.field("summary", summary)
                json.field("description", description)
            }
            json.array("servers", ["/"]) { json, url in json.object { $0.field("url", url) } }
            json.array("tags", areas + [OpenAPIWebhook.area]) { json, area in json.object { $0.field("name", area) } }
            json.object("paths") { json in writePaths(into: &json) }
            json.object("webhooks") { json in OpenAPIWebhook.write(into: &json) }
            json.object("components") { json in
                json.object("securitySchemes") { json in writeSecuritySchemes(into: &json) }
                json.object("schemas") { json in writeSchemas(into: &json) }
                json.object("headers") { json in
                    for header in OpenAPIHeader.all { header.write(into: &json) }
                }
                json.object("examples") { json in OpenAPIRefusal.writeExamples(into: &json) }
                json.object("responses") { json in
                    for refusal in OpenAPIRefusal.all { refusal.write(into: &json) }
                }
            }
        }
        return json.bytes
    }

    static let summary =
        "The backend for apps in which people look after one another: daily pings between connected people, and vaults that trusted nominees can enter."

    /// The rules for every call, one paragraph each.
    static let generalRules = [
        "Bodies are JSON in UTF-8 with snake_case names. Ids are UUIDs, instants are RFC 3339 in UTC, dates are YYYY-MM-DD, times of day are HH:MM. An unknown member or parameter, a wrong type or a value out of bounds is refused, and the answer names each of them.",
        "A user sends an access token and a tenant's server sends its secret key, both as Authorization: Bearer. Things that belong to somebody else answer 404, as if they did not exist.",
        "A refusal is a problem document (RFC 9457). Clients decide by its code and show its detail. If retryable is true, the same request can succeed later; Retry-After says when.",
        "A POST with an Idempotency-Key takes effect once, however often it is sent. The credential is checked first: repeating a sign-out with the token that it ended answers 401.",
        "A list answers items and next_cursor. To get the next page, repeat the request with next_cursor as cursor, until it is null.",
        "Changes arrive as events: a user reads them from GET /v1/events, and a tenant's server receives them by webhook. StreamEvent and WebhookEvent define the data of each type. A thing that is gone, or that the user may no longer see, has status deleted.",
        "A path answers 405 to methods that are not documented, and Allow lists those that are. HEAD works like GET. Every answer carries X-Request-Id, which the client can choose.",
    ]

    /// The tags, in the order in which the endpoints first use them.
    static let areas: [String] = Endpoint.all.reduce(into: []) { areas, endpoint in
        if !areas.contains(endpoint.area) { areas.append(endpoint.area) }
    }

    private static let description = generalRules.joined(separator: "\n\n")

    private static func writePaths(into json: inout JSONWriter) {
        var paths: [String] = []
        for endpoint in Endpoint.all where !paths.contains(endpoint.path) { paths.append(endpoint.path) }
        for path in paths {
            json.object(path) { json in
                for endpoint in Endpoint.all where endpoint.path == path {
                    json.object(endpoint.method.rawValue.lowercased()) { json in endpoint.write(into: &json) }
                }
            }
        }
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
        for component in components + bodies {
            json.object(component.name) { json in
                component.schema.write(into: &json)
                json.array("examples", [component.schema.example()]) { $0.value(json: $1) }
            }
        }
    }

    /// The named schemas that the endpoints use, directly or through other schemas, in the order of first use.
    static let components: [JSONComponent] = {
        var found: [JSONComponent] = []
        JSONSchema.component(.problem).collect(into: &found)
        for endpoint in Endpoint.all {
            for parameter in endpoint.documentedParameters { parameter.schema.collect(into: &found) }
            endpoint.body?.collect(into: &found)
            endpoint.answer?.collect(into: &found)
        }
        JSONSchema.component(.webhookBatch).collect(into: &found)
        return found
    }()

    /// The bodies that only one endpoint accepts, which are named after it.
    static let bodies = Endpoint.all.compactMap(\.bodyComponent)
}

extension JSONSchema {
    /// Adds the named schemas of this schema that `found` does not have yet.
    fileprivate func collect(into found: inout [JSONComponent]) {
        switch self {
        case .component(let component):
            guard !found.contains(where: { $0.name == component.name }) else { return }
            found.append(component)
            component.schema.collect(into: &found)
        case .array(let element, _): element.collect(into: &found)
        case .nullable(let schema), .item(let schema): schema.collect(into: &found)
        case .union(let shapes, _): for shape in shapes { shape.collect(into: &found) }
        case .object(let properties): for property in properties { property.schema.collect(into: &found) }
        case .string, .oneOf, .integer, .boolean, .anyObject: break
        }
    }
}

extension JSONComponent {
    /// A problem document. Its example is `not_found`.
    static let problem: JSONComponent = {
        let code = ProblemCode.notFound
        return JSONComponent(
            name: "Problem",
            schema: .object([
                .init("type", .string(.line), required: true, example: .text(code.type)),
                .init("title", .string(.line), required: true, example: .text(code.entry.title)),
                .init("status", .integer(400...599), required: true, example: .number(code.entry.status.rawValue)),
                .init(
                    "code", .component(.problemCode), required: true, "Stable. Clients decide by it.",
                    example: .text(code.rawValue)),
                .init(
                    "detail", .string(.line, length: 1...500), required: true, "Text for a person to read.",
                    example: .text(code.entry.detail)),
                .init("retryable", .boolean, required: true, "Whether trying again can help."),
                .init("request_id", .string(.line), required: true, example: .text(Problem.exampleRequestID)),
                .init(
                    "errors", .array(of: .component(.fieldError), count: 0...10_000), "Every invalid field.",
                    example: .leftOut),
            ]))
    }()

    private static let fieldError = JSONComponent(
        name: "FieldError",
        schema: .object([
            .init(
                "field", .string(.anything), required: true, "Empty if the problem concerns more than one field.",
                example: "time_zone"),
            .init("message", .string(.line), required: true, example: "must be a string"),
        ]))
}
