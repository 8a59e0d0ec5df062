internal import HTTP
package import JSON
internal import Problems

/// The OpenAPI 3.1 document, generated from the served calls.
package struct OpenAPIDocument: Sendable {
    /// The calls, in the order of the documentation.
    package let operations: [OpenAPIOperation]
    /// The schema of the batches that Kith sends to webhooks.
    package let webhookBatch: JSONComponent

    /// Creates the document of `operations`.
    package init(operations: [OpenAPIOperation], webhookBatch: JSONComponent) {
        self.operations = operations
        self.webhookBatch = webhookBatch
    }

    /// The document of the release `version`, as JSON text.
    package func text(version: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("openapi", "3.1.0")
            json.object("info") { json in
                json.field("title", "Kith")
                json.field("version", version)
                json.field("summary", Self.summary)
                json.field("description", Self.generalRules.joined(separator: "\n\n"))
            }
            json.array("servers", ["/"]) { json, url in json.object { $0.field("url", url) } }
            json.array("tags", areas + [OpenAPIWebhook.area]) { json, area in json.object { $0.field("name", area) } }
            json.object("paths") { json in writePaths(into: &json) }
            json.object("webhooks") { json in OpenAPIWebhook.write(webhookBatch, into: &json) }
            json.object("components") { json in
                json.object("securitySchemes") { json in writeSecuritySchemes(into: &json) }
                json.object("schemas") { json in writeSchemas(into: &json) }
                json.object("headers") { json in
                    for header in OpenAPIHeader.all { header.write(into: &json) }
                }
                json.object("examples") { json in OpenAPIRefusal.writeExamples(into: &json) }
                json.object("responses") { json in
                    for refusal in refusals { refusal.write(into: &json) }
                }
            }
        }
        return json.bytes
    }

    package static let summary =
        """
        The backend for apps in which people look after one another: daily pings between connected people, and \
        vaults that trusted nominees can enter.
        """

    /// The rules for every call, one paragraph each.
    package static let generalRules = [
        """
        Bodies are JSON in UTF-8 with snake_case names. Ids are UUIDs, instants are RFC 3339 in UTC, dates are \
        YYYY-MM-DD, times of day are HH:MM. An unknown member or parameter, a wrong type or a value out of bounds is \
        refused, and the answer names each of them.
        """,
        """
        A user sends an access token and a tenant's server sends a secret key, both as Authorization: Bearer. A key \
        with the scope all may make every call of the tenant's server, and one with read every GET except that of \
        the keys. Things that belong to somebody else answer 404, as if they did not exist.
        """,
        """
        A refusal is a problem document (RFC 9457). Clients decide by its code and show its detail. If retryable is \
        true, the same request can succeed later; Retry-After says when. The texts for people are in the language \
        that Accept-Language prefers, else in the caller's, else in the tenant's, else in English; Content-Language \
        says in which.
        """,
        """
        A POST with an Idempotency-Key takes effect once, however often it is sent. A repeat gets the first answer \
        while the caller still has the right that it came from, and 404 afterwards. The credential is checked first: \
        repeating a sign-out with the token that it ended answers 401.
        """,
        """
        A list answers items and next_cursor. To get the next page, repeat the request with next_cursor as cursor, \
        until it is null.
        """,
        """
        A DELETE can be sent again. If nothing is left to delete, the answer is 204 or 404, and both mean that it is \
        gone.
        """,
        """
        Changes arrive as events: a user reads them from GET /v1/events, and a tenant's server receives them by \
        webhook. StreamEvent and WebhookEvent define the data of each type. A thing that is gone, or that the user \
        may no longer see, has status deleted.
        """,
        """
        Members of answers and of events, calls, optional parameters, types of event and values of enumerations can \
        be added without notice. Clients ignore members and types of event that they do not know, keep values that \
        they do not know, and treat an unknown status of a nominee as pending. Nothing that is documented is renamed \
        or removed.
        """,
        """
        A path answers 405 to methods that are not documented, and Allow lists those that are. HEAD works like GET. \
        Every answer carries X-Request-Id, which the client can choose.
        """,
    ]

    /// The tags, in the order in which the calls first use them.
    package var areas: [String] {
        operations.reduce(into: []) { areas, operation in
            if !areas.contains(operation.area) { areas.append(operation.area) }
        }
    }

    /// The refusals of all calls, each once.
    private var refusals: [OpenAPIRefusal] {
        operations.reduce(into: []) { all, operation in
            for refusal in OpenAPIRefusal.of(operation) where !all.contains(where: { $0.name == refusal.name }) {
                all.append(refusal)
            }
        }
    }

    private func writePaths(into json: inout JSONWriter) {
        var paths: [String] = []
        for operation in operations where !paths.contains(operation.path) { paths.append(operation.path) }
        for path in paths {
            json.object(path) { json in
                for operation in operations where operation.path == path {
                    json.object(operation.method.rawValue.lowercased()) { json in operation.write(into: &json) }
                }
            }
        }
    }

    private func writeSecuritySchemes(into json: inout JSONWriter) {
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

    private func writeSchemas(into json: inout JSONWriter) {
        let closed = closedComponents
        for component in components + bodies {
            json.object(component.name) { json in
                if !component.summary.isEmpty { json.field("description", component.summary) }
                component.schema.write(into: &json, isClosed: closed.contains(component.name))
                json.array("examples", [component.schema.example()]) { $0.value(json: $1) }
            }
        }
    }

    /// The names of the schemas whose objects have no other members: those of requests, and those by which the data of
    /// an event says that a thing is gone. The latter could otherwise not be told from the thing.
    private var closedComponents: Set<String> {
        var sent: [JSONComponent] = []
        for operation in operations {
            (operation.bodyComponent.map { .component($0) } ?? operation.body)?.collect(into: &sent)
        }
        let others = components.flatMap { component -> [String] in
            guard case .union(let shapes, nil) = component.schema else { return [] }
            return shapes.dropFirst().compactMap { if case .component(let shape) = $0 { shape.name } else { nil } }
        }
        return Set(sent.map(\.name) + others)
    }

    /// The named schemas that the calls use, directly or through other schemas, in the order of first use.
    package var components: [JSONComponent] {
        var found: [JSONComponent] = []
        JSONSchema.component(.problem).collect(into: &found)
        for operation in operations {
            for parameter in operation.parameters { parameter.schema.collect(into: &found) }
            operation.body?.collect(into: &found)
            operation.answer?.collect(into: &found)
        }
        JSONSchema.component(webhookBatch).collect(into: &found)
        return found
    }

    /// The bodies that only one call accepts, which are named after it.
    package var bodies: [JSONComponent] { operations.compactMap(\.bodyComponent) }
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
        case .string, .oneOf, .integer, .number, .boolean, .anyObject: break
        }
    }
}
