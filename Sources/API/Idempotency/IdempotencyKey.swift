internal import Crypto
internal import HTTP
internal import Problems

/// The `Idempotency-Key` of a request, with a fingerprint of that request.
struct IdempotencyKey: Sendable {
    /// The key that the client chose.
    let text: String
    /// The SHA-256 of method, path, query and body. The same key with another fingerprint is refused.
    let fingerprint: [UInt8]

    /// The longest key in bytes.
    static let longest = 255

    /// Reads the key of `request`; nil if there is none.
    ///
    /// - Throws: ``Problem`` `invalid_request` if the key is empty, too long or not printable ASCII.
    init?(of request: HTTPRequest) throws(Problem) {
        try self.init(of: request, with: request.body)
    }

    /// Reads the key of a request whose body is read elsewhere. `content` stands for the body in the fingerprint.
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
