internal import Crypto
internal import HTTP
internal import JSON
internal import Texts
internal import Web

/// The cookies of the web client.
///
/// Over TLS their names begin with `__Host-`, so that neither another host of the same domain nor a page without TLS
/// can set them. Browsers refuse such cookies without TLS. `kith dev` on this machine therefore uses cookies without
/// the prefix, which only somebody on the machine could read or set.
struct Cookies {
    /// The cookie with a sign-in: the slug of its tenant, a dot, and the secret. The slug leads back to the tenant's
    /// sign-in when this one has ended, where the host belongs to no tenant.
    static let session = "kith"
    /// The cookie with the notice of the next page.
    static let notice = "kith_notice"
    /// The cookie that binds the forms of pages without a sign-in to the browser.
    static let form = "kith_form"

    /// The cookie with the secret of the last sign-in that the person has ended in this browser. It signs in nobody. It
    /// only proves, when the person asks for a code, that they have used the browser before.
    static let device = "kith_device"

    /// How long a browser keeps the proof that somebody has used it, in seconds.
    private static let lifeOfDevice = 365 * 86400
    /// How long a browser keeps a sign-in, in seconds: the longest time that browsers allow. The server ends it
    /// earlier.
    private static let longestLife = 400 * 86400

    private let prefix: String
    private let suffix: String
    private let headers: HTTPHeaders

    /// Reads the cookies of a request. `publicURL` says whether the site is reached over TLS.
    init(_ request: HTTPRequest, publicURL: String) {
        let isPlain = publicURL.hasPrefix("http://") && Self.isLocal(request)
        prefix = isPlain ? "" : "__Host-"
        suffix = "; Path=/; HttpOnly; SameSite=Lax\(isPlain ? "" : "; Secure")"
        headers = request.headers
    }

    subscript(name: String) -> String? { headers.cookie(prefix + name) }

    /// The sign-in that the browser has. After a sign-out its secret is empty.
    var signIn: (tenant: String, secret: String)? {
        guard let parts = self[Self.session]?.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false),
            parts.count == 2, PageTenant.isSlug(String(parts[0]))
        else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// The secret of the newest sign-in in this browser, which may have ended; nil if there is none, or if it was ended
    /// everywhere.
    var knownSecret: String? {
        let secrets = [signIn?.secret, self[Self.device]]
        return secrets.lazy.compactMap { $0 }.first { secret in
            (1...200).contains(secret.utf8.count) && secret.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }

    /// Ends the sign-in in the browser. The tenant stays, so that the way back leads to its sign-in. `keepsDevice` says
    /// whether the browser can prove later that the person has used it.
    func endSignIn(keepsDevice: Bool, in response: inout HTTPResponse) {
        if keepsDevice, let secret = signIn?.secret, !secret.isEmpty {
            set(Self.device, secret, seconds: Self.lifeOfDevice, in: &response)
        } else {
            remove(Self.device, in: &response)
        }
        set(Self.session, "\(signIn?.tenant ?? "").", seconds: Self.longestLife, in: &response)
    }

    /// Keeps a sign-in in the browser.
    func keep(_ secret: String, of tenant: String, in response: inout HTTPResponse) {
        set(Self.session, "\(tenant).\(secret)", seconds: Self.longestLife, in: &response)
    }

    /// Removes a cookie from the browser.
    func remove(_ name: String, in response: inout HTTPResponse) {
        set(name, "", seconds: 0, in: &response)
    }

    /// Sets a cookie for some seconds.
    func set(_ name: String, _ value: String, seconds: Int, in response: inout HTTPResponse) {
        response.headers.add("Set-Cookie", "\(prefix)\(name)=\(value); Max-Age=\(seconds)\(suffix)")
    }

    /// Whether the browser reached the server under a name of the server's own machine.
    private static func isLocal(_ request: HTTPRequest) -> Bool {
        guard let host = PageTenant.host(of: request) else {
            return request.header("Host")?.hasPrefix("[::1]") ?? false
        }
        return host == "localhost" || host == "127.0.0.1"
    }
}

extension Cookies {
    /// The notice of the act that led here.
    var notice: Notice? {
        guard let value = self[Self.notice], let bytes = Base64URL.decode(value),
            let document = try? JSONDocument(bytes),
            let key = document.root["key"]?.string
        else { return nil }
        let values = document.root["values"]?.members.compactMap { member -> (String, TextValue)? in
            if let number = member.value.integer { return (member.name, .number(number)) }
            return member.value.string.map { (member.name, .name($0)) }
        }
        return Notice(key, Dictionary(values ?? []) { first, _ in first })
    }

    /// Sets the notice of the next page.
    func leave(_ notice: Notice, in response: inout HTTPResponse) {
        var json = JSONWriter()
        json.object { json in
            json.field("key", notice.key)
            json.object("values") { json in
                for (name, value) in notice.values {
                    switch value {
                    case .name(let text), .words(let text): json.field(name, text)
                    case .number(let number): json.field(name, number)
                    case .date, .time, .dateTime: json.field(name, Texts.english.words(for: value))
                    }
                }
            }
        }
        set(Self.notice, Base64URL.encode(json.bytes), seconds: 60, in: &response)
    }
}
