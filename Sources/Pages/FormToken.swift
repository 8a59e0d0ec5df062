package import Crypto
package import HTTP
package import Problems

/// A token against cross-site request forgery: an authentication code of the form's subject and of a cookie that only
/// pages of this server can read back.
package struct FormToken: Sendable {
    private static let cookieName = "kith_form"
    /// The length of the cookie's secret in bytes.
    private static let length = 16

    /// The cookie's value in hexadecimal.
    private let secret: String
    /// Whether the browser has sent the cookie.
    private let isKnown: Bool
    /// The valid codes: that of the current master key, and, while the key is being replaced, those of the others.
    private let codes: [[UInt8]]
    /// The marks of the person whose form it is, in the order of the codes; empty for a form of nobody.
    private let marks: [String]

    /// Creates the token of a form about `subject` for the browser that sent `request`.
    ///
    /// - Throws: ``Problem`` if the key cannot be derived.
    package init(_ request: HTTPRequest, subject: String, _ masterKey: MasterKey) throws(Problem) {
        let known = Self.cookie(of: request)
        try self.init(subject: subject, secret: known ?? Self.newSecret(), isKnown: known != nil, masterKey)
    }

    /// Creates the token of a form about `subject` that is bound to `secret`, such as the id of a sign-in. `isKnown`
    /// says whether the browser has proved that it knows the secret; no token is valid otherwise. `person` is the id of
    /// whom the form is for.
    ///
    /// - Throws: ``Problem`` if the key cannot be derived.
    package init(
        subject: String, secret: String, isKnown: Bool, of person: String? = nil, _ masterKey: MasterKey
    ) throws(Problem) {
        self.secret = secret
        self.isKnown = isKnown
        do throws(CryptoError) {
            let message = "\(subject)\n\(secret)"
            let keys = try masterKey.derived(for: "forms")
            codes = keys.map { [UInt8]($0.authenticationCode(for: message.utf8)) }
            marks = keys.flatMap { key in
                person.map { [Hex.encode([UInt8](key.authenticationCode(for: "person\n\($0)".utf8)).prefix(8))] } ?? []
            }
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    /// A new secret for a browser that has none.
    package static func newSecret() -> String { Hex.encode(randomBytes(length)) }

    /// The token for a form, different each time: the code under a random mask, after the mask. Pages are compressed,
    /// and the length of a compressed page would tell an unchanging code to whoever makes the page repeat guesses.
    package var text: String {
        let mask = randomBytes(codes[0].count)
        return Hex.encode(mask + zip(mask, codes[0]).map { $0 ^ $1 }) + (marks.first.map { "-\($0)" } ?? "")
    }

    /// Whether `given` is the token of a form that this browser got. Digests are compared, so that the time taken
    /// reveals nothing.
    package func isValid(_ given: String?) -> Bool {
        guard isKnown, let given, let bytes = Hex.decode(String(given.prefix { $0 != "-" })),
            bytes.count == 2 * codes[0].count
        else { return false }
        let half = bytes.count / 2
        let code = zip(bytes[..<half], bytes[half...]).map { $0 ^ $1 }
        return codes.contains { sha256(code) == sha256($0) }
    }

    /// Whether `given` is the token of a form that another person got. Nobody else may see what they typed in it, or
    /// send it.
    package func isOfAnotherPerson(_ given: String?) -> Bool {
        guard let mark = given?.split(separator: "-", omittingEmptySubsequences: false).dropFirst().first else {
            return false
        }
        return !marks.contains(String(mark))
    }

    /// Sets the cookie with a page that has a form, unless the browser has it.
    package func set(in response: inout HTTPResponse, isSecure: Bool) {
        guard !isKnown else { return }
        response.headers.add(
            "Set-Cookie",
            "\(Self.cookieName)=\(secret); Path=/i/; Max-Age=3600; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
        )
    }

    private static func cookie(of request: HTTPRequest) -> String? {
        guard let value = request.headers.cookie(cookieName), let bytes = Hex.decode(value), bytes.count == length
        else { return nil }
        return Hex.encode(bytes)
    }
}
