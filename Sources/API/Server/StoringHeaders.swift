internal import HTTP
internal import OpenAPI
internal import Problems

/// The fields of a request that would change what a call stores, or whether it does. A call that cannot do as they say
/// refuses: a client that sends them relies on them.
enum StoringHeaders {
    /// Checks the fields of a request that writes.
    ///
    /// - Throws: ``Problem`` `unsupported_media_type` for a coded body, `invalid_request` for a part of a content, or
    ///   `precondition_failed` for a precondition that the call cannot check.
    static func check(_ request: HTTPRequest, for route: PreparedRoute) throws(Problem) {
        guard ![.get, .head].contains(request.method) else { return }
        // A stored content would be sent without the coding's name, and nothing else can be read with it.
        if let coding = request.headers.list("Content-Encoding"), coding.lowercased() != "identity" {
            throw Problem(.unsupportedMediaType, "Send the content itself, without Content-Encoding.")
        }
        // RFC 9110 §14.4: a server that stored the part as the whole would destroy the rest.
        guard request.header("Content-Range") == nil else {
            throw Problem(
                .invalidRequest, "Send the whole content: a part of it, as Content-Range names, cannot be stored.")
        }
        for name in ["If-Match", "If-None-Match"] {
            let length = request.headers.list(name)?.utf8.count ?? 0
            guard length <= OpenAPIParameter.longestHeader else {
                throw Problem(.invalidRequest, "\(name) is longer than \(OpenAPIParameter.longestHeader) bytes.")
            }
        }
        if route.endpoint.checksVersions { return }
        // What the call changes has no ETag, so none of those in If-Match is its own (RFC 9110 §13.1.1).
        if let tags = EntityTags(request.headers.list("If-Match")), !tags.matchesAny {
            throw Problem(.preconditionFailed, "What this call changes has no ETag, so it does not match If-Match.")
        }
        if EntityTags(request.headers.list("If-None-Match"))?.matchesAny == true {
            throw Problem(
                .preconditionFailed, "This call cannot check whether what it makes is there, as If-None-Match asks.")
        }
    }
}
