internal import Crypto
internal import HTTP
internal import Problems

/// The `Idempotency-Key` of a request, with a fingerprint of that request.
struct IdempotencyKey: Sendable {
    /// The key that the client chose.
    let text: String
    /// The SHA-256 of method, path, query and body. The same key with another fingerprint is refused.
    let fingerprint: [UInt8]

    /// Whether another request with the same key is refused, and not carried out.
    let refusesOthers: Bool

    /// The longest key in bytes.
    static let longest = 255

    /// Reads the key of `request`; nil if there is none. `isForgiving` says that no key refuses the request: one that
    /// is no key counts as none.
    ///
    /// - Throws: ``Problem`` `invalid_request` if the key is empty, too long or not printable ASCII.
    init?(of request: HTTPRequest, isForgiving: Bool = false) throws(Problem) {
        do throws(Problem) {
            try self.init(of: request, with: request.body, refusesOthers: !isForgiving)
        } catch {
            guard isForgiving else { throw error }
            return nil
        }
    }

    /// Reads the key of a request whose body is read elsewhere. `content` stands for the body in the fingerprint.
    init?(of request: HTTPRequest, with content: [UInt8], refusesOthers: Bool = true) throws(Problem) {
        guard let text = request.header("Idempotency-Key") else { return nil }
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(
                .invalidRequest,
                "Idempotency-Key must be 1 to \(Self.longest) printable ASCII characters without spaces.")
        }
        self.text = text
        self.refusesOthers = refusesOthers
        fingerprint = sha256(
            Array("\(request.method.rawValue)\n\(request.path)\n\(request.queryText)\n".utf8) + content)
    }
}
