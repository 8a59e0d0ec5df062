internal import JSON
internal import OpenAPI

/// The headers that calls read.
extension OpenAPIParameter {
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
    static let ifNoneMatchOfStored = header(
        "If-None-Match", "Proceeds only if the content's ETag is none of these; otherwise answers 412. * is any ETag.")
    static let ifNoneMatchOfNew = header(
        "If-None-Match", "With *, proceeds only if no document of the vault has this name; otherwise answers 412.")
    static let range = header("Range", "A part of the content, such as bytes=0-999. Only one range is allowed.")
    static let ifRange = header(
        "If-Range", "Sends the part only if the content has this ETag; otherwise sends all of it.")

    static let lastEventID = header(
        "Last-Event-ID",
        "The id of the last event received. Later events are sent first. Browsers send this header themselves.")

    /// The length of the longest header field whose value a call compares, in bytes.
    static let longestHeader = 1000

    private static func header(_ name: String, _ summary: String) -> OpenAPIParameter {
        OpenAPIParameter(
            name: name, place: "header", summary: summary, required: false,
            schema: .string(.anything, length: 0...longestHeader)
        )
    }
}
