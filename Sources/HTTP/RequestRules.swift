/// The rules of HTTP, and the server's limits, that the fields of a request must satisfy before its body is read.
struct RequestRules {
    /// How the request is framed, according to its fields.
    struct Framing {
        fileprivate(set) var body = BodyDecoder(length: 0)
        /// Whether the client waits for 100 Continue before it sends the body (RFC 9110 §10.1.1).
        fileprivate(set) var expectsContinue = false
        /// Whether the connection closes after the response, because the client asks for it or speaks HTTP/1.0.
        fileprivate(set) var closes = false
    }

    let configuration: HTTPServerConfiguration

    /// Returns the framing of a request whose body may have `maximumBody` bytes.
    ///
    /// - Throws: ``HTTPRefusal`` when the fields break a rule or contradict each other. A proxy might resolve a
    ///   contradiction differently (RFC 9112 §11.2).
    func framing(of head: RequestHead, maximumBody: Int) throws(HTTPRefusal) -> Framing {
        guard head.fieldCount <= configuration.maximumFields else {
            throw .headersTooLarge(limit: configuration.maximumHeader)
        }
        let fields = Fields(head.headers, single: configuration.singleFields)
        for name in fields.repeated where head.headers.contradict(name) {
            throw .malformed(reason: "There is more than one \(name), and they differ.")
        }
        if let reason = fields.fault { throw .malformed(reason: reason) }
        if fields.hosts > 1 { throw .malformed(reason: "There is more than one Host.") }
        if fields.hosts == 0, head.isVersion11 { throw .malformed(reason: "There is no Host.") }
        if let authority = head.target.authority, authority.lowercased() != head.headers["Host"]?.lowercased() {
            throw .malformed(reason: "The request target and the Host differ.")
        }
        if fields.lengths > 1 { throw .malformed(reason: "There is more than one Content-Length.") }
        var framing = Framing()
        framing.closes = fields.closes || !head.isVersion11
        if fields.codings > 0 {
            if fields.lengths > 0 {
                throw .malformed(reason: "There is a Content-Length beside a Transfer-Encoding.")
            }
            if !head.isVersion11 { throw .malformed(reason: "HTTP/1.0 has no Transfer-Encoding.") }
            if fields.codings > 1 || !fields.isChunked { throw .unsupportedTransferCoding }
            framing.body = .chunked
        }
        guard fields.length <= maximumBody else { throw .bodyTooLarge(limit: maximumBody) }
        if fields.length > 0 { framing.body = BodyDecoder(length: fields.length) }
        if fields.expectations > (fields.expectsContinue ? 1 : 0) { throw .unsupportedExpectation }
        framing.expectsContinue = fields.expectsContinue && head.isVersion11
        return framing
    }

    /// The fields that determine how a request is framed.
    private struct Fields {
        var fault: String?
        var hosts = 0
        var lengths = 0
        var length = 0
        var codings = 0
        var isChunked = false
        var expectations = 0
        var expectsContinue = false
        var closes = false
        /// The single-valued fields that occurred, and those that occurred again.
        private var seen: [String] = []
        private(set) var repeated: [String] = []

        init(_ headers: HTTPHeaders, single: [String]) {
            var fields = self
            headers.forEachPacked { name, value in
                fields.read(name, value)
                fields.note(name, single)
            }
            self = fields
        }

        private mutating func note(_ name: UnsafeBufferPointer<UInt8>, _ single: [String]) {
            for candidate in single where name.equalsIgnoringCase(candidate.utf8) {
                if seen.contains(candidate) { repeated.append(candidate) } else { seen.append(candidate) }
            }
        }

        private mutating func read(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
            switch name.count {
            case 4 where name.equalsIgnoringCase("host".utf8):
                hosts += 1
                if !value.allSatisfy(Self.isHostByte) { fault = "The Host is not valid." }
            case 6 where name.equalsIgnoringCase("expect".utf8):
                expectations += 1
                expectsContinue = value.equalsIgnoringCase("100-continue".utf8)
            case 10 where name.equalsIgnoringCase("connection".utf8):
                for option in value.split(separator: UInt8(ascii: ","))
                where UnsafeBufferPointer(rebasing: option.trimmingBlanks()).equalsIgnoringCase("close".utf8) {
                    closes = true
                }
            case 14 where name.equalsIgnoringCase("content-length".utf8):
                lengths += 1
                readLength(value)
            case 17 where name.equalsIgnoringCase("transfer-encoding".utf8):
                codings += 1
                isChunked = value.equalsIgnoringCase("chunked".utf8)
            default: break
            }
        }

        private mutating func readLength(_ value: UnsafeBufferPointer<UInt8>) {
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            if value.isEmpty || !value.allSatisfy(digits.contains) { fault = "The Content-Length is not a number." }
            length = Int(String(decoding: value, as: UTF8.self)) ?? .max
        }

        /// Whether `byte` is allowed in a host or its port (RFC 3986 §3.2.2).
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
