package import JSON

/// A parameter of the path, the query or the headers of a request.
package struct OpenAPIParameter: Sendable {
    package let name: String
    package let place: String
    package let summary: String
    package let required: Bool
    package let schema: JSONSchema

    /// A header of the requests that Kith sends to a webhook.
    package static func sent(_ name: String, _ summary: String, _ format: TextFormat) -> OpenAPIParameter {
        OpenAPIParameter(name: name, place: "header", summary: summary, required: true, schema: .string(format))
    }

    /// Describes a parameter. `place` is `path`, `query` or `header`.
    package init(name: String, place: String, summary: String, required: Bool, schema: JSONSchema) {
        self.name = name
        self.place = place
        self.summary = summary
        self.required = required
        self.schema = schema
    }

    package func write(into json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("in", place)
            if required { json.field("required", true) }
            if !summary.isEmpty { json.field("description", summary) }
            // The values of a list are separated by commas.
            if case .array = schema {
                json.field("style", "form")
                json.field("explode", false)
            }
            json.object("schema") { schema.write(into: &$0) }
            json.field("example", json: schema.example(of: name))
        }
    }
}
