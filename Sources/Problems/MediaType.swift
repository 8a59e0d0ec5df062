/// The format of a body.
package enum MediaType: String, Sendable {
    case json = "application/json"
    /// One JSON text on each line. The schema describes one line.
    case jsonLines = "application/x-ndjson"
    /// A form sent by a page. The schema describes its fields.
    case form = "application/x-www-form-urlencoded"
    /// A form with files (RFC 7578).
    case files = "multipart/form-data"
    case html = "text/html"
    /// A feed (RFC 4287).
    case atom = "application/atom+xml"
    /// A request body of any type, named by its `Content-Type`.
    case bytes = "application/octet-stream"
    /// A response of any type.
    case content = "*/*"
    /// Plain text for a program or a person.
    case text = "text/plain"
    /// A table with a header row (RFC 4180).
    case csv = "text/csv"
    /// Server-sent events (HTML Standard, section 9.2).
    case events = "text/event-stream"
    /// A problem document (RFC 9457).
    case problem = "application/problem+json"
}
