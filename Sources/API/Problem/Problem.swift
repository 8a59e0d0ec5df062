internal import HTTP
internal import Postgres

/// A refusal, on its way to the client as a problem document (RFC 9457).
struct Problem: Error, Sendable {
    /// One field that is not valid, and what would be.
    struct FieldError: Sendable, Equatable {
        let field: String
        let message: String
    }

    /// After how many seconds trying again makes sense where nobody says it more exactly.
    private static let usualWait: [ProblemCode: Int] = [.unavailable: 1, .tooManyRequests: 600]

    /// How many fields one answer names: a body of a hundred thousand unknown fields must cost nobody's time.
    static let mostErrors = 50

    var code: ProblemCode
    /// What a person reads; the code's own text where there is nothing to add.
    var detail: String?
    /// What somebody reads instead who sees it in a browser.
    var detailForPerson: String?
    /// The fields that are not valid, for a 422.
    var errors: [FieldError] = []
    /// Seconds after which trying again makes sense.
    var retryAfter: Int?
    /// The methods that the path takes, for a 405.
    var allow: [HTTPMethod] = []
    /// What ranges there are, for a 416.
    var contentRange: String?
    /// Whether the database keeps what was done before the refusal (a counted attempt); otherwise nothing was done.
    var isCommitted = false
    /// What went wrong on our side, for the log only.
    private(set) var fault: String?

    init(_ code: ProblemCode, _ detail: String? = nil, errors: [FieldError] = [], retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.errors = errors
        self.retryAfter = retryAfter ?? Self.usualWait[code]
    }

    /// A fault of ours: the client learns nothing of it but the request's id, under which the log says `fault`.
    init(fault: String) {
        self.init(.internal)
        self.fault = fault
    }

    /// Something that passes by itself, with what the log is to say of it.
    init(unavailable fault: String) {
        self.init(.unavailable)
        self.fault = fault
    }

    /// One field that is not valid.
    static func invalid(_ field: String, _ message: String) -> Problem {
        Problem(.validationFailed, errors: [FieldError(field: field, message: message)])
    }

    /// The problem document.
    func response(requestID: String) -> HTTPResponse {
        var json = JSONWriter()
        json.object { write(into: &$0, requestID: requestID) }
        var headers: HTTPHeaders = ["Content-Type": MediaType.problem.rawValue, "Cache-Control": "no-store"]
        if let retryAfter { headers.add("Retry-After", String(retryAfter)) }
        if code.entry.status == .unauthorized { headers.add("WWW-Authenticate", "Bearer") }
        if !allow.isEmpty { headers.add("Allow", allow.map(\.rawValue).joined(separator: ", ")) }
        if let contentRange { headers.add("Content-Range", contentRange) }
        return HTTPResponse(code.entry.status, headers: headers, body: json.bytes)
    }

    /// Writes the members of the document.
    func write(into json: inout JSONWriter, requestID: String) {
        let entry = code.entry
        json.field("type", code.type)
        json.field("title", entry.title)
        json.field("status", entry.status.rawValue)
        json.field("code", code.rawValue)
        json.field("detail", detail ?? entry.detail)
        json.field("retryable", entry.retryable)
        json.field("request_id", requestID)
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
