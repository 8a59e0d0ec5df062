package import Crypto
package import HTTP
package import Problems

/// A token against cross-site request forgery: an authentication code of the form's subject and of a cookie that only pages of this server
/// can read back.
package struct FormToken {
    private static let cookieName = "kith_form"
    /// The most cookies to examine. The server sets only this one.
    private static let mostCookies = 50
    /// The length of the cookie's secret in bytes.
    private static let length = 16

    /// The cookie's value in hexadecimal.
    private let secret: String
    /// Whether the browser has sent the cookie.
    private let isKnown: Bool
    package let text: String
    /// Further valid tokens while the master key is being replaced, for forms made with another key.
    private let others: [String]

    /// Creates the token of a form about `subject` for the browser that sent `request`.
    ///
    /// - Throws: ``Problem`` if the key cannot be derived.
    package init(_ request: HTTPRequest, subject: String, _ masterKey: MasterKey) throws(Problem) {
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

    /// Whether `given` is the token of a form that this browser got. Digests are compared, so that the time taken reveals nothing.
    package func isValid(_ given: String?) -> Bool {
        guard isKnown, let given else { return false }
        return ([text] + others).contains { sha256(given.utf8) == sha256($0.utf8) }
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
