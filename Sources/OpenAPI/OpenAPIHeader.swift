internal import JSON

/// A response header.
struct OpenAPIHeader {
    let name: String
    let summary: String
    let schema: JSONSchema
    let required: Bool

    static let requestID = OpenAPIHeader(
        name: "X-Request-Id",
        summary: "The id of the request in the log. It is the client's own id if the client sent one.",
        schema: .string(.opaque), required: true)
    static let retryAfter = OpenAPIHeader(
        name: "Retry-After", summary: "The number of seconds to wait, at most 7 days.", schema: .integer(1...604_800),
        required: true)
    static let replayed = OpenAPIHeader(
        name: "Idempotent-Replayed", summary: "Present, and true, if the request had already been carried out.",
        schema: .oneOf(["true"]), required: false)
    static let authenticate = OpenAPIHeader(
        name: "WWW-Authenticate", summary: "The authentication scheme to use.", schema: .oneOf(["Bearer"]),
        required: true)

    static let entityTag = OpenAPIHeader(
        name: "ETag", summary: "The content's version_id in quotes. It changes with the content.",
        schema: .string(.opaque), required: true)
    static let disposition = OpenAPIHeader(
        name: "Content-Disposition", summary: "Marks the content as an attachment with the document's name.",
        schema: .string(.line, length: 1...2000), required: true)
    static let acceptsRanges = OpenAPIHeader(
        name: "Accept-Ranges", summary: "Says that parts of the content can be requested.", schema: .oneOf(["bytes"]),
        required: true)
    static let range = OpenAPIHeader(
        name: "Content-Range", summary: "The range of the part, and the size of the whole content.",
        schema: .string(.line),
        required: true)

    static let location = OpenAPIHeader(
        name: "Location", summary: "The address that the answer leads to.", schema: .string(.line, length: 9...500),
        required: true)

    static let all = [
        requestID, retryAfter, replayed, authenticate, entityTag, disposition, acceptsRanges, range, location,
    ]

    /// Writes the header as a component.
    func write(into json: inout JSONWriter) {
        json.object(name) { json in
            json.field("description", summary)
            if required { json.field("required", true) }
            json.object("schema") { schema.write(into: &$0) }
        }
    }

    /// Writes the headers of a response, as references.
    static func write(_ headers: [OpenAPIHeader], into json: inout JSONWriter) {
        json.object("headers") { json in
            for header in headers {
                json.object(header.name) { $0.field("$ref", "#/components/headers/\(header.name)") }
            }
        }
    }
}
