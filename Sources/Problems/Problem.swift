package import HTTP
package import JSON
internal import Postgres

/// A refusal. Clients get it as a problem document (RFC 9457).
package struct Problem: Error, Sendable {
    /// The default seconds to wait before a retry.
    private static let usualWait: [ProblemCode: Int] = [.unavailable: 1, .tooManyRequests: 600]

    package var code: ProblemCode
    /// Text for a person; nil for the code's default text.
    package var detail: String?
    /// Text for a person who sees the problem as a page.
    package var detailForPerson: String?
    /// The invalid fields, for a 422.
    package var errors: [FieldError] = []
    /// The seconds to wait before a retry.
    package var retryAfter: Int?
    /// For a vault that the caller can enter by emergency access from then on: that instant.
    package var grantsAt: String?
    /// The methods that the path allows, for a 405.
    package var allow: [HTTPMethod] = []
    /// The value of `Content-Range`, for a 416.
    package var contentRange: String?
    /// Whether the database committed what was done before the refusal, such as counting an attempt. Otherwise nothing was done.
    package var isCommitted = false
    /// A description of a fault of the server, for the log only.
    package private(set) var fault: String?
    /// Whether a migration may have replaced what the transaction used. It was rolled back, and can be repeated.
    package internal(set) var isOfReplacedObject = false

    package init(_ code: ProblemCode, _ detail: String? = nil, errors: [FieldError] = [], retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.errors = errors
        self.retryAfter = retryAfter ?? Self.usualWait[code]
    }

    /// A fault of the server. The client learns only the request's id, under which `fault` is logged.
    package init(fault: String) {
        self.init(.internal)
        self.fault = fault
    }

    /// A temporary failure. `fault` is logged.
    package init(unavailable fault: String) {
        self.init(.unavailable)
        self.fault = fault
    }

    /// A problem with one invalid field.
    package static func invalid(_ field: String, _ message: String) -> Problem {
        Problem(.validationFailed, errors: [FieldError(field: field, message: message)])
    }

    /// The response with the problem document.
    package func response(requestID: String) -> HTTPResponse {
        var json = JSONWriter()
        json.object { write(into: &$0, requestID: requestID) }
        var headers: HTTPHeaders = ["Content-Type": MediaType.problem.rawValue, "Cache-Control": "no-store"]
        if let retryAfter { headers.add("Retry-After", String(retryAfter)) }
        if code.entry.status == .unauthorized { headers.add("WWW-Authenticate", "Bearer") }
        if !allow.isEmpty { headers.add("Allow", allow.map(\.rawValue).joined(separator: ", ")) }
        if let contentRange { headers.add("Content-Range", contentRange) }
        return HTTPResponse(code.entry.status, headers: headers, body: json.bytes)
    }

    /// Writes the members of the problem document.
    package func write(into json: inout JSONWriter, requestID: String) {
        let entry = code.entry
        json.field("type", code.type)
        json.field("title", entry.title)
        json.field("status", entry.status.rawValue)
        json.field("code", code.rawValue)
        json.field("detail", detail ?? entry.detail)
        json.field("retryable", entry.retryable)
        json.field("request_id", requestID)
        if let grantsAt { json.field("grants_at", grantsAt) }
        if !errors.isEmpty {
            json.array("errors", errors) { json, error in
                json.object { json in
                    json.field("field", error.field)
                    json.field("message", error.message)
                }
            }
        }
    }
}
