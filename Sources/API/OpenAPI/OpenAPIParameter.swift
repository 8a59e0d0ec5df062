/// One parameter of the path, the query or the head of a request.
struct OpenAPIParameter {
    let name: String
    let place: String
    let summary: String
    let required: Bool
    let schema: JSONSchema

    static let idempotencyKey = OpenAPIParameter(
        name: "Idempotency-Key", place: "header",
        summary: "Chosen anew for each act: a repeat with the same key gets the same answer and does nothing.",
        required: false, schema: .string(.opaque, length: 1...IdempotencyKey.longest))

    static let tenant = OpenAPIParameter(
        name: "X-Kith-Tenant", place: "header", summary: "The slug of the tenant.", required: true,
        schema: .string(.line, length: 1...63))

    static let ifMatch = header(
        "If-Match", "Only if the content is the one with this ETag, or one of these; otherwise 412.")
    static let ifNoneMatch = header(
        "If-None-Match", "Only if the content is another than that with this ETag; otherwise 304.")
    static let range = header("Range", "A part of the content, as bytes=0-999; one range.")
    static let ifRange = header(
        "If-Range", "The part only if the content is the one with this ETag; otherwise all of it.")

    static let lastEventID = header(
        "Last-Event-ID", "The id of the last event that came before: those after it come first. A browser sends it.")

    private static func header(_ name: String, _ summary: String) -> OpenAPIParameter {
        OpenAPIParameter(
            name: name, place: "header", summary: summary, required: false, schema: .string(.anything, length: 0...1000)
        )
    }

    /// A header that a webhook is sent with.
    static func sent(_ name: String, _ summary: String, _ format: TextFormat) -> OpenAPIParameter {
        OpenAPIParameter(name: name, place: "header", summary: summary, required: true, schema: .string(format))
    }

    private init(name: String, place: String, summary: String, required: Bool, schema: JSONSchema) {
        self.name = name
        self.place = place
        self.summary = summary
        self.required = required
        self.schema = schema
    }

    /// The parameter that an argument is read from; nil for one that does not stand in the address.
    init?(_ argument: Argument) {
        guard let schema = argument.schema else { return nil }
        self.schema = schema
        switch argument {
        case .path(let name, _): (self.name, place, summary, required) = (name, "path", "", true)
        case .query(let name, _, let summary, let required):
            (self.name, place, self.summary, self.required) = (name, "query", summary, required)
        case .limit:
            (name, place, required) = ("limit", "query", false)
            summary = "How many items at most; 50 where it is not given."
        case .cursor:
            (name, place, required) = ("cursor", "query", false)
            summary = "Where to go on: the next_cursor of the page before."
        case .body, .member, .now, .publicURL, .fixed: return nil
        }
    }

    func write(into json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("in", place)
            if required { json.field("required", true) }
            if !summary.isEmpty { json.field("description", summary) }
            json.object("schema") { schema.write(into: &$0) }
            json.field("example", json: schema.example(of: name))
        }
    }
}

extension Endpoint {
    /// What the call takes beside its body.
    var documentedParameters: [OpenAPIParameter] {
        var parameters = parameters.compactMap(OpenAPIParameter.init) + headerParameters
        if takesIdempotencyKey { parameters.append(.idempotencyKey) }
        if case .tenant = caller { parameters.append(.tenant) }
        return parameters
    }
}
