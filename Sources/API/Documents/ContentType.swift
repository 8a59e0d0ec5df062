internal import HTTP
internal import Problems

/// The media type of a document, stored as the client wrote it (RFC 9110, section 8.3.1).
enum ContentType {
    /// The type of a content sent without a `Content-Type`.
    static let unknown = "application/octet-stream"
    private static let longest = 255

    /// The media type of the request's body.
    ///
    /// - Throws: ``Problem`` `unsupported_media_type` if it is not a media type.
    static func of(_ request: HTTPRequest) throws(Problem) -> String {
        guard let type = request.header("Content-Type") else { return unknown }
        guard isValid(type) else {
            throw Problem(
                .unsupportedMediaType,
                "Content-Type must be a media type like application/pdf, of at most \(longest) characters.")
        }
        return type
    }

    /// The type with which a stored content is sent. A browser or a proxy would read the parts of a `multipart`
    /// content as answers of this server, such as those of several ranges (RFC 9110 §14.6).
    static func sent(_ stored: String) -> String {
        stored.lowercased().hasPrefix("multipart/") ? unknown : stored
    }

    /// Whether `text` is `type/subtype`, optionally followed by parameters `; name=value`.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= longest else { return false }
        var rest = text.utf8[...]
        guard takeToken(&rest), take("/", &rest), takeToken(&rest) else { return false }
        while true {
            skipBlanks(&rest)
            if rest.isEmpty { return true }
            guard take(";", &rest) else { return false }
            skipBlanks(&rest)
            // A parameter may be empty (RFC 9110 §5.6.6).
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            guard takeToken(&rest), take("=", &rest), takeToken(&rest) || takeQuoted(&rest) else { return false }
        }
    }

    private static func skipBlanks(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private static func take(_ character: Character, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == character.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func takeToken(_ rest: inout Substring.UTF8View) -> Bool {
        let token = rest.prefix(while: HTTPHeaders.isTokenByte)
        rest = rest.dropFirst(token.count)
        return !token.isEmpty
    }

    private static func takeQuoted(_ rest: inout Substring.UTF8View) -> Bool {
        guard take("\"", &rest) else { return false }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            guard (0x20...0x7E).contains(byte) else { return false }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), (0x20...0x7E).contains(escaped) else { return false }
            }
        }
        return false
    }
}
