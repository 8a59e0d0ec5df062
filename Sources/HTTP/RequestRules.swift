/// The rules of HTTP that a request's head must keep before its body is read, and the server's limits.
///
/// libmicrohttpd is lenient where two readers of one request may differ (two lengths, a length beside a transfer coding,
/// blanks before a colon); a proxy that reads it the other way makes of that a way to smuggle requests past it (RFC 9112,
/// section 11.2), so all of these are refused here.
struct RequestRules {
    let configuration: HTTPServerConfiguration

    /// What libmicrohttpd notes about each field and cookie beside its text (`struct MHD_HTTP_Header`), in bytes.
    private static let noteMemory = 64
    /// What the head of an answer may take: where it did not fit, libmicrohttpd would close the connection instead.
    private static let answerMemory = 2 << 10

    /// Why the request is refused, or `nil`. `head` counts the bytes of the first line and the fields together; `isVersion11` says
    /// whether the client speaks HTTP/1.1 or later; a body may have `maximumBody` bytes.
    func refusal(
        method: HTTPMethod, target: RequestTarget, fields reader: FieldReader, head: Int, isVersion11: Bool,
        maximumBody: Int
    ) -> HTTPRefusal? {
        guard target.count <= configuration.maximumURI else { return .uriTooLong(limit: configuration.maximumURI) }
        let line = method.rawValue.utf8.count + target.count + " ".utf8.count + " HTTP/1.1\r\n".utf8.count
        guard head - line <= configuration.maximumHeader else {
            return .headersTooLarge(limit: configuration.maximumHeader)
        }
        let fields = Fields(reader.headers)
        let notes = (fields.count + fields.cookies) * Self.noteMemory
        guard head + fields.cookieSize + notes + Self.answerMemory <= configuration.connectionMemory else {
            return .headersTooLarge(limit: configuration.maximumHeader)
        }
        guard reader.isGapless else { return .malformed(reason: "There is a line that is not a field.") }
        guard method.rawValue.utf8.allSatisfy(HTTPHeaders.isTokenByte) else {
            return .malformed(reason: "The method is not a token.")
        }
        guard target.isValid, target.path != "*" || method == .options else {
            return .malformed(reason: "The request target is not a path.")
        }
        return refusal(of: fields, limit: maximumBody, isVersion11: isVersion11)
    }

    private func refusal(of fields: Fields, limit: Int, isVersion11: Bool) -> HTTPRefusal? {
        if let reason = fields.fault { return .malformed(reason: reason) }
        if fields.hosts > 1 { return .malformed(reason: "There is more than one Host.") }
        if fields.hosts == 0, isVersion11 { return .malformed(reason: "There is no Host.") }
        if fields.lengths > 1 { return .malformed(reason: "There is more than one Content-Length.") }
        if fields.codings > 0 {
            if fields.lengths > 0 {
                return .malformed(reason: "There is a Content-Length beside a Transfer-Encoding.")
            }
            if !isVersion11 { return .malformed(reason: "HTTP/1.0 has no Transfer-Encoding.") }
            if fields.codings > 1 || !fields.isChunked { return .unsupportedTransferCoding }
        }
        if fields.length > limit { return .bodyTooLarge(limit: limit) }
        if fields.expectations > (fields.expectsContinue ? 1 : 0) { return .unsupportedExpectation }
        return nil
    }

    /// The fields that say how a request is to be read.
    private struct Fields {
        var count = 0
        var cookies = 0
        /// The bytes of the cookies, which libmicrohttpd copies to read them.
        var cookieSize = 0
        var fault: String?
        var hosts = 0
        var lengths = 0
        var length = 0
        var codings = 0
        var isChunked = false
        var expectations = 0
        var expectsContinue = false

        init(_ headers: HTTPHeaders) {
            var fields = self
            headers.forEachPacked { fields.read($0, $1) }
            self = fields
        }

        private mutating func read(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
            count += 1
            if name.isEmpty || !name.allSatisfy(HTTPHeaders.isTokenByte) {
                fault = "The name of a field is not a token."
            }
            var hasControl = false
            for byte in value { hasControl = hasControl || byte == 0x7F || (byte < 0x20 && byte != UInt8(ascii: "\t")) }
            if hasControl { fault = "The value of a field has control characters in it." }
            switch name.count {
            case 4 where name.equalsIgnoringCase("host".utf8):
                hosts += 1
                if !value.allSatisfy(Self.isHostByte) { fault = "The Host is not one." }
            case 6 where name.equalsIgnoringCase("cookie".utf8):
                cookieSize += value.count + 1
                cookies += 1 + value.count { $0 == UInt8(ascii: ";") }
            case 6 where name.equalsIgnoringCase("expect".utf8):
                expectations += 1
                expectsContinue = value.equalsIgnoringCase("100-continue".utf8)
            case 14 where name.equalsIgnoringCase("content-length".utf8):
                lengths += 1
                length = Int(String(decoding: value, as: UTF8.self)) ?? .max
            case 17 where name.equalsIgnoringCase("transfer-encoding".utf8):
                codings += 1
                isChunked = value.equalsIgnoringCase("chunked".utf8)
            default: break
            }
        }

        /// Whether `byte` may stand in a host or its port (RFC 3986, section 3.2.2).
        private static func isHostByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"),
                UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
                true
            case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"):
                false
            default:
                HTTPHeaders.isTokenByte(byte)
            }
        }
    }
}
