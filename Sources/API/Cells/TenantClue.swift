internal import Crypto
internal import Foundation
internal import HTTP
internal import Identity
internal import JSON
internal import Pages
internal import Web

/// What a request says about its tenant before anything of it is checked.
///
/// It decides in which cell the request is answered, and nothing else: the cell checks the request as if there were no
/// other. A request that lies is refused there.
enum TenantClue: Hashable {
    case number(Int)
    case slug(String)
    /// A secret, by the hash under which its cell has it, and the tenant's number in its text.
    case secret([UInt8], of: Int?)
    /// A token of an identity provider.
    case issuer(String, audiences: [String])
    case host(String)
    /// The origin of the page that calls, if nothing else names the tenant.
    case origin(String)
    /// Nothing, as a request for the documentation.
    case nothing

    /// The longest credential and the longest body that are read for a clue, in bytes.
    private static let longest = 8192

    /// The clues of a request, those that count most first. `token` gives that of an access token, which takes longest
    /// to find.
    static func all(
        of request: HTTPRequest, publicURL: String, token: (Substring) -> TenantClue? = TenantClue.ofToken
    ) -> [TenantClue] {
        if request.method == .options, request.header("Access-Control-Request-Method") != nil {
            return request.header("Origin").map { [.origin($0)] } ?? []
        }
        if let clue = ofAddress(request) { return [clue] }
        guard request.path.hasPrefix("/v1/") else { return ofPage(request, publicURL: publicURL) }
        let clues = ofCall(request, token)
        // A page may read why its call is refused, if its tenant's cell refuses it.
        return clues.isEmpty ? request.header("Origin").map { [.origin($0)] } ?? [] : clues
    }

    /// The clue in the address of a link: the token of a thing, of a link to check in or to an alarm, or of an inbound
    /// channel begins with the tenant's number.
    private static func ofAddress(_ request: HTTPRequest) -> TenantClue? {
        let numbered = ["/s/", "/c/", "/a/", "/v1/inbound/sms/", "/v1/inbound/voice/"]
        if let prefix = numbered.first(where: request.path.hasPrefix) {
            let digits = request.path.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
            return Int32(digits).map { .number(Int($0)) } ?? .nothing
        }
        if request.path.hasPrefix("/i/") { return ofInvitation(request.path.dropFirst(3)) }
        return nil
    }

    /// The token of an invitation is a UUID, by which the database has its hash.
    private static func ofInvitation(_ rest: Substring) -> TenantClue {
        guard let id = UUID(uuidString: String(rest.prefix { $0 != "/" })) else { return .nothing }
        return .secret(sha256(id.uuidString.lowercased().utf8), of: nil)
    }

    private static func ofCall(_ request: HTTPRequest, _ token: (Substring) -> TenantClue?) -> [TenantClue] {
        var clues: [TenantClue] = []
        if let slug = request.header("X-Kith-Tenant"), PageTenant.isSlug(slug) { clues.append(.slug(slug)) }
        if let header = request.header("Authorization"), header.utf8.count <= longest {
            let credential = header.drop { $0 != " " }.drop { $0 == " " }
            if credential.hasPrefix("kith_sk_") {
                clues.append(.secret(sha256(credential.utf8), of: TenantNumber.of(credential)))
            } else if let clue = token(credential) {
                clues.append(clue)
            }
        } else if request.path == "/v1/auth/refresh", request.body.count <= longest {
            let secret = (try? JSONDocument(request.body))?.root["refresh_token"]?.string
            if let secret { clues.append(.secret(sha256(secret.utf8), of: TenantNumber.of(secret))) }
        } else if clues.isEmpty, request.path.hasPrefix("/v1/invitations/") {
            clues.append(ofInvitation(request.path.dropFirst("/v1/invitations/".count)))
        }
        return clues
    }

    /// What the claims of a token say, whose signature the cell checks.
    static func ofToken(_ token: Substring) -> TenantClue? {
        guard let jwt = JWT(String(token)) else { return nil }
        let claims = jwt.claims
        if claims.iss == "kith" {
            return claims.tid.map { .number($0) } ?? claims.aud.first.map { .slug($0) }
        }
        return .issuer(claims.iss, audiences: Array(claims.aud.prefix(20)))
    }

    /// The desk's pages are of the tenant whose key somebody has, whoever else is signed in.
    private static func ofDesk(_ request: HTTPRequest, publicURL: String) -> [TenantClue] {
        var clues: [TenantClue] = []
        if let host = PageTenant.host(of: request) { clues.append(.host(host)) }
        if let slug = DeskVisit.tenant(Cookies(request, publicURL: publicURL)) { clues.append(.slug(slug)) }
        let form = request.method == .post ? request.form : []
        if let secret = form.first(where: { $0.name == "secret" })?.value, secret.utf8.count <= longest {
            clues.append(.secret(sha256(secret.utf8), of: TenantNumber.of(secret[...])))
        }
        return clues
    }

    private static func ofPage(_ request: HTTPRequest, publicURL: String) -> [TenantClue] {
        var clues: [TenantClue] = []
        if request.path == DeskPage.path || request.path.hasPrefix(DeskPage.path + "/") {
            return ofDesk(request, publicURL: publicURL)
        }
        let cookie = Cookies(request, publicURL: publicURL).signIn
        // These pages are of a tenant, whoever is signed in.
        let isPublic =
            ["/join", "/open"].contains(request.path) || request.path.hasPrefix("/.well-known/")
            || StatusPage.isAt(request.path)
        // The host comes first: a sign-in of one tenant is none on the host of another.
        if let host = PageTenant.host(of: request) { clues.append(.host(host)) }
        // The reader of a tenant's mark may be signed in to another tenant.
        if let mark = BrandMark(request.path) { return clues + [.slug(mark.tenant)] }
        if let cookie, !cookie.secret.isEmpty, !isPublic { clues.append(.slug(cookie.tenant)) }
        let form = request.reader == nil && request.method == .post ? request.form : []
        let named = form.first { $0.name == "t" }?.value ?? request.parameter("t")
        if let named, PageTenant.isSlug(named) { clues.append(.slug(named)) }
        if let cookie, !isPublic { clues.append(.slug(cookie.tenant)) }
        return clues
    }
}
