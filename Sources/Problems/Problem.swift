package import HTTP
package import JSON
internal import Postgres
package import Texts

/// A refusal. Clients get it as a problem document (RFC 9457).
package struct Problem: Error, Sendable {
    /// The default seconds to wait before a retry.
    private static let usualWait: [ProblemCode: Int] = [.unavailable: 1, .tooManyRequests: 600]

    package var code: ProblemCode
    /// The title; nil for the code's English one.
    private(set) var title: String?
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
    /// For an alarm that somebody else has taken: the person as JSON, and when.
    package var takenBy: [UInt8]?
    package var takenAt: String?
    /// The methods that the path allows, for a 405.
    package var allow: [HTTPMethod] = []
    /// The value of `Content-Range`, for a 416.
    package var contentRange: String?
    /// Whether the database committed what was done before the refusal, such as counting an attempt. Otherwise nothing
    /// was done.
    package var isCommitted = false
    /// The tag of the language of the title and the texts.
    package private(set) var language = TextCatalogue.kith.english.tag
    /// A description of a fault of the server, for the log only.
    package private(set) var fault: String?
    /// Whether a migration may have replaced what the transaction used. It was rolled back, and can be repeated.
    package internal(set) var isOfReplacedObject = false
    /// Whether the cell refused because the tenant is being moved to another one. Nothing was done, and the other cell
    /// can do it.
    package internal(set) var isOfMovingTenant = false

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

    /// The problem in another language, or in the tenant's own words.
    ///
    /// A detail that the catalogue does not have is for developers. It stays English, and the title with it.
    package func worded(_ texts: Texts) -> Problem {
        guard !texts.isPlainEnglish else { return self }
        var worded = self
        if let detail {
            guard let words = Self.words(for: detail, texts) else { return self }
            worded.detail = words
        } else {
            worded.detail = texts(code.detailKey)
        }
        worded.title = texts(code.titleKey)
        worded.errors = errors.map { error in
            texts.catalogue.message(error.message).map { key, values in
                FieldError(field: error.field, message: texts(key, values.mapValues { .words($0) }))
            } ?? error
        }
        worded.language = texts.language.tag
        return worded
    }

    /// The title and the text for a person who sees the problem as a page.
    package func words(forPerson texts: Texts) -> (title: String, detail: String) {
        guard let english = detailForPerson ?? detail else { return (texts(code.titleKey), texts(code.detailKey)) }
        guard !texts.isPlainEnglish else { return (texts(code.titleKey), english) }
        return (texts(code.titleKey), Self.words(for: english, texts) ?? texts(code.detailKey))
    }

    /// A detail in another language; nil if the catalogue does not have it.
    private static func words(for detail: String, _ texts: Texts) -> String? {
        texts.catalogue.detail(detail).map { key, values in texts(key, values.mapValues { .words($0) }) }
    }

    /// The response with the problem document.
    package func response(requestID: String) -> HTTPResponse {
        var json = JSONWriter()
        json.object { write(into: &$0, requestID: requestID) }
        var headers: HTTPHeaders = [
            "Content-Type": MediaType.problem.rawValue, "Cache-Control": "no-store", "Content-Language": language,
            "Vary": "Accept-Language",
        ]
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
        json.field("title", title ?? entry.title)
        json.field("status", entry.status.rawValue)
        json.field("code", code.rawValue)
        json.field("detail", detail ?? entry.detail)
        json.field("retryable", entry.retryable)
        json.field("request_id", requestID)
        if let grantsAt { json.field("grants_at", grantsAt) }
        if let takenBy { json.field("taken_by", json: takenBy) }
        if let takenAt { json.field("taken_at", takenAt) }
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
