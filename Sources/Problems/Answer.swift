package import HTTP
internal import JSON

/// Turns a procedure's result into a response.
///
/// The JSON is sent unchanged, except in two forms that begin with a member that no resource begins with: `problem`, a
/// refusal that had to be committed, and `answer`, a body with another status than the endpoint's default.
package enum Answer {
    private static let problem = Array("{\"problem\"".utf8)
    private static let other = Array("{\"answer\"".utf8)

    /// The response for `json`; 204 for null.
    ///
    /// - Throws: ``Problem`` if the procedure returned a refusal.
    package static func response(_ json: [UInt8]?, success: HTTPStatus) throws(Problem) -> HTTPResponse {
        guard let json else { return HTTPResponse(.noContent) }
        try throwRefusal(json)
        guard json.starts(with: other) else { return jsonResponse(success, json) }
        let document = try JSONDocument(answer: json)
        guard let status = document.root["answer"]?.integer, let body = lastMember("body", of: json) else {
            throw Problem(fault: "a procedure's answer without status or body")
        }
        return jsonResponse(HTTPStatus(rawValue: status), Array(body))
    }

    /// The header fields of JSON. It has personal data, so caches must not store it.
    private static let jsonHeaders: HTTPHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]

    /// A JSON response.
    package static func jsonResponse(_ status: HTTPStatus, _ json: [UInt8]) -> HTTPResponse {
        HTTPResponse(status, headers: jsonHeaders, body: json)
    }

    /// Throws the refusal in `json`, if the procedure returned one instead of raising it.
    package static func throwRefusal(_ json: [UInt8]?) throws(Problem) {
        if let json, json.starts(with: problem) { throw try refusal(json) }
    }

    private static func refusal(_ json: [UInt8]) throws(Problem) -> Problem {
        let document = try JSONDocument(answer: json)
        guard let code = document.root["problem"]?.string else { throw Problem(fault: "a refusal without a code") }
        var problem = Problem(
            ProblemCode(rawValue: code), document.root["detail"]?.string,
            retryAfter: document.root["retry_after"]?.integer)
        problem.isCommitted = true
        if problem.code == .alarmTaken {
            problem.takenBy = document.root["taken_by"]?.text
            problem.takenAt = document.root["taken_at"]?.string
        }
        return problem
    }

    /// The text of an object's last member, such as `{"answer" : 200, "body" : …}`: everything between its colon and
    /// the last brace. `name` must not occur earlier in the text.
    package static func lastMember(_ name: String, of json: [UInt8]) -> ArraySlice<UInt8>? {
        let key = Array("\"\(name)\"".utf8)
        guard let start = json.indices.first(where: { json[$0...].starts(with: key) }),
            let colon = json[(start + key.count)...].firstIndex(of: UInt8(ascii: ":")),
            let end = json.lastIndex(of: UInt8(ascii: "}")), colon < end
        else { return nil }
        return json[(colon + 1)..<end].drop { $0 == UInt8(ascii: " ") }
    }
}
