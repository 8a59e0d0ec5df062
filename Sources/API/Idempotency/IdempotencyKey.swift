internal import Crypto
internal import HTTP

/// The `Idempotency-Key` of a request, with what it stands for: of one caller, for one request.
struct IdempotencyKey: Sendable {
    /// As the client chose it.
    let text: String
    /// SHA-256 of method, address and body: what the key must not come with again if it differs.
    let fingerprint: [UInt8]

    /// The longest key.
    static let longest = 255

    /// The key that came with `request`; nil when there is none.
    ///
    /// - Throws: ``Problem`` `invalid_request` for one that is empty, too long or not printable ASCII.
    init?(of request: HTTPRequest) throws(Problem) {
        try self.init(of: request, with: request.body)
    }

    /// The same of a request whose body was read elsewhere; `content` is what stands for it.
    init?(of request: HTTPRequest, with content: [UInt8]) throws(Problem) {
        guard let text = request.header("Idempotency-Key") else { return nil }
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(
                .invalidRequest,
                "Idempotency-Key must be 1 to \(Self.longest) printable ASCII characters without spaces.")
        }
        self.text = text
        fingerprint = sha256(
            Array("\(request.method.rawValue)\n\(request.path)\n\(request.queryText)\n".utf8) + content)
    }
}
