internal import HTTP
internal import JSON
internal import Problems

/// The body of a request, parsed, valid according to the schema of its route's endpoint, and with its phone numbers in
/// E.164 form.
enum RequestBody {
    /// Reads the body; nil if the endpoint takes none, or if it is not a single JSON text.
    ///
    /// - Throws: ``Problem`` `unsupported_media_type`, `invalid_request`, or `validation_failed` with every invalid
    ///   field.
    static func read(_ request: HTTPRequest, for route: PreparedRoute) throws(Problem) -> JSONDocument? {
        // A handler reads a streamed body itself, and its type with it.
        guard !route.endpoint.streamsBody else { return nil }
        guard !route.endpoint.isForgiving else { return try forgiven(request, for: route) }
        try checkType(of: request, is: route.endpoint.bodyType)
        guard route.endpoint.bodyType == .json else { return nil }
        guard !request.body.isEmpty else {
            guard let schema = route.endpoint.body else { return nil }
            return try valid(Array("{}".utf8), schema, route)
        }
        return try valid(request.body, route.endpoint.body ?? .object([]), route)
    }

    /// What can be used of a body that refuses nothing, whatever its type is said to be.
    private static func forgiven(
        _ request: HTTPRequest, for route: PreparedRoute
    ) throws(Problem) -> JSONDocument? {
        let document = try? JSONDocument(request.body, maximumValues: route.endpoint.maximumValues)
        let usable = document.flatMap { document in route.endpoint.body?.forgiven(document.root) }
        return try JSONDocument(answer: usable ?? Array("{}".utf8))
    }

    /// - Throws: ``Problem`` `unsupported_media_type` if the body is in another format than `type`.
    static func checkType(of request: HTTPRequest, is type: MediaType) throws(Problem) {
        guard !request.body.isEmpty, let given = request.header("Content-Type") else { return }
        let parts = given.lowercased().split(separator: ";", omittingEmptySubsequences: false).map {
            $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
        // Every text is read as UTF-8 (RFC 8259 §8.1), so another charset would be misread.
        guard parts[0] == type.rawValue, parts.allSatisfy({ !$0.hasPrefix("charset=") || $0 == "charset=utf-8" }) else {
            throw Problem(.unsupportedMediaType, "Send the body as \(type.rawValue).")
        }
    }

    private static func valid(
        _ bytes: [UInt8], _ schema: JSONSchema, _ route: PreparedRoute
    ) throws(Problem) -> JSONDocument {
        let document: JSONDocument
        do throws(InvalidJSON) {
            document = try JSONDocument(bytes, maximumValues: route.endpoint.maximumValues)
        } catch {
            throw Problem(error)
        }
        var errors: [FieldError] = []
        schema.check(document.root, at: "", into: &errors)
        guard errors.isEmpty else { throw Problem(.validationFailed, errors: errors) }
        return route.normalizesBody ? try JSONDocument(answer: schema.normalized(document.root)) : document
    }
}
