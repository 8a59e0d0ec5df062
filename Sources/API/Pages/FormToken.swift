internal import Crypto
internal import HTTP

/// What a form carries so that no other site can send it: an authentication code of what it is about and of a cookie that only pages of
/// this server can read back.
struct FormToken {
    private static let cookieName = "kith_form"
    /// How many cookies are looked at: this is the only one of ours.
    private static let mostCookies = 50
    /// Bytes of the cookie's secret.
    private static let length = 16

    /// The cookie's value, in hexadecimal.
    private let secret: String
    /// Whether the browser has it already.
    private let isKnown: Bool
    let text: String
    /// What it may be beside that while the master key is exchanged: a form that another key was on.
    private let others: [String]

    /// The token of a form on a page about `subject`, for the browser that sends `request`.
    ///
    /// - Throws: ``Problem`` when the key cannot be derived.
    init(_ request: HTTPRequest, subject: String, _ masterKey: MasterKey) throws(Problem) {
        let known = Self.cookie(of: request)
        secret = known ?? Hex.encode(randomBytes(Self.length))
        isKnown = known != nil
        do throws(CryptoError) {
            let message = "\(subject)\n\(secret)"
            let texts = try masterKey.derived(for: "forms").map { Hex.encode($0.authenticationCode(for: message.utf8)) }
            text = texts[0]
            others = Array(texts.dropFirst())
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    /// Whether a form that came with `given` was one of ours, in this browser. Compared as digests: how long it takes says nothing.
    func isValid(_ given: String?) -> Bool {
        guard isKnown, let given else { return false }
        return ([text] + others).contains { sha256(given.utf8) == sha256($0.utf8) }
    }

    /// Gives the browser the cookie with a page that has a form.
    func set(in response: inout HTTPResponse, isSecure: Bool) {
        guard !isKnown else { return }
        response.headers.add(
            "Set-Cookie",
            "\(Self.cookieName)=\(secret); Path=/i/; Max-Age=3600; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
        )
    }

    private static func cookie(of request: HTTPRequest) -> String? {
        let cookies = (request.header("Cookie") ?? "").split(separator: ";", maxSplits: mostCookies).map {
            $0.drop { $0 == " " }
        }
        guard
            let value = cookies.first(where: { $0.hasPrefix("\(cookieName)=") })?.dropFirst(cookieName.utf8.count + 1),
            let bytes = Hex.decode(String(value)), bytes.count == length
        else { return nil }
        return Hex.encode(bytes)
    }
}
