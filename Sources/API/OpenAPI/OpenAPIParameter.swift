/// A parameter of the path, the query or the headers of a request.
struct OpenAPIParameter {
    let name: String
    let place: String
    let summary: String
    let required: Bool
    let schema: JSONSchema

    static let idempotencyKey = OpenAPIParameter(
        name: "Idempotency-Key", place: "header",
        summary: "A new value for each act. A repeat with the same key gets the same answer and has no further effect.",
        required: false, schema: .string(.opaque, length: 1...IdempotencyKey.longest))

    static let tenant = OpenAPIParameter(
        name: "X-Kith-Tenant", place: "header", summary: "The tenant's slug.", required: true,
        schema: .string(.line, length: 1...63))

    static let ifMatch = header(
        "If-Match", "Proceeds only if the content has this ETag, or one of these; otherwise answers 412.")
    static let ifNoneMatch = header(
        "If-None-Match", "Sends the content only if its ETag is not this one; otherwise answers 304.")
    static let range = header("Range", "A part of the content, such as bytes=0-999. Only one range is allowed.")
    static let ifRange = header(
        "If-Range", "Sends the part only if the content has this ETag; otherwise sends all of it.")

    static let lastEventID = header(
        "Last-Event-ID",
        "The id of the last event received. Later events are sent first. Browsers send this header themselves.")

    private static func header(_ name: String, _ summary: String) -> OpenAPIParameter {
        OpenAPIParameter(
            name: name, place: "header", summary: summary, required: false, schema: .string(.anything, length: 0...1000)
        )
    }

    /// A header of the requests that Kith sends to a webhook.
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

    /// The parameter for `argument`; nil if the argument comes from neither path nor query.
    init?(_ argument: Argument) {
        guard let schema = argument.schema else { return nil }
        self.schema = schema
        switch argument {
        case .path(let name, _): (self.name, place, summary, required) = (name, "path", "", true)
        case .query(let name, _, let summary, let required):
            (self.name, place, self.summary, self.required) = (name, "query", summary, required)
        case .limit:
            (name, place, required) = ("limit", "query", false)
            summary = "The largest number of items in the answer. The default is 50."
        case .cursor:
            (name, place, required) = ("cursor", "query", false)
            summary = "The next_cursor of the previous page."
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
    /// All parameters of the call except its body.
    var documentedParameters: [OpenAPIParameter] {
        var parameters = parameters.compactMap(OpenAPIParameter.init) + headerParameters
        if takesIdempotencyKey { parameters.append(.idempotencyKey) }
        if case .tenant = caller { parameters.append(.tenant) }
        return parameters
    }
}
