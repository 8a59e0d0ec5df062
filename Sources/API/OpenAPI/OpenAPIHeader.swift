/// A header of answers.
struct OpenAPIHeader {
    let name: String
    let summary: String
    let schema: JSONSchema
    let required: Bool

    static let requestID = OpenAPIHeader(
        name: "X-Request-Id", summary: "Under which the log has the request; the client's own where it sent one.",
        schema: .string(.opaque), required: true)
    static let retryAfter = OpenAPIHeader(
        name: "Retry-After", summary: "Seconds to wait.", schema: .integer(1...86400), required: true)
    static let replayed = OpenAPIHeader(
        name: "Idempotent-Replayed", summary: "There, and true, where the request had been done before.",
        schema: .oneOf(["true"]), required: false)
    static let authenticate = OpenAPIHeader(
        name: "WWW-Authenticate", summary: "How to identify oneself.", schema: .oneOf(["Bearer"]), required: true)

    static let entityTag = OpenAPIHeader(
        name: "ETag", summary: "The content's version_id in quotes: another content has another.",
        schema: .string(.opaque), required: true)
    static let disposition = OpenAPIHeader(
        name: "Content-Disposition", summary: "As a file to be kept, with the document's name.",
        schema: .string(.line, length: 1...2000), required: true)
    static let acceptsRanges = OpenAPIHeader(
        name: "Accept-Ranges", summary: "That a part can be asked for.", schema: .oneOf(["bytes"]), required: true)
    static let range = OpenAPIHeader(
        name: "Content-Range", summary: "Which part it is, and of how many bytes.", schema: .string(.line),
        required: true)

    static let all = [requestID, retryAfter, replayed, authenticate, entityTag, disposition, acceptsRanges, range]

    /// Writes it as a component.
    func write(into json: inout JSONWriter) {
        json.object(name) { json in
            json.field("description", summary)
            if required { json.field("required", true) }
            json.object("schema") { schema.write(into: &$0) }
        }
    }

    /// Writes the headers of an answer, as references.
    static func write(_ headers: [OpenAPIHeader], into json: inout JSONWriter) {
        json.object("headers") { json in
            for header in headers {
                json.object(header.name) { $0.field("$ref", "#/components/headers/\(header.name)") }
            }
        }
    }
}
