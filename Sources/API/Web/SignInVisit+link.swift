internal import Crypto
internal import HTTP
internal import Identity
internal import JSON
internal import NetworkAddresses
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Web

extension SignInVisit {
    /// Answers a link by which the tenant's server signs somebody in. Showing it uses nothing up, since mail scanners
    /// and previews open links too.
    func answer(link token: String, _ session: BrowserSessions.Session?) async throws(Problem) -> HTTPResponse {
        let isForm = request.method == .post
        let next = SignInPage.Errand(next: isForm ? form.text("next") : request.parameter("next"), form: nil).next
        guard let link = try read(token) else { return try expired(next) }
        if let session, session.caller.tenantID == tenant.id, session.caller.user == link.userID {
            return SiteServer.redirect(to: next ?? Site.home)
        }
        // The form's token is of a browser that opened the link while it could be opened.
        let formToken = try self.token("sign-in-link/\(link.sessionID)")
        if isForm, link.canBeConfirmed(at: request.receivedAt), formToken.isValid(form[FormFields.token]) {
            return try await follow(link, next, session)
        }
        guard link.canBeOpened(at: request.receivedAt),
            let person = try await statements.facts(
                Self.find, as: visitor, [.text(link.userID), .text(link.sessionID), .instant(link.issuedAt)])
        else { return try expired(next) }
        return try show(path: request.path, formToken, status: isForm ? .forbidden : .ok) { visit in
            SignInLinkPage(visit).question(
                name: person.root["name"]?.string, next: next, replaces: session != nil)
        }
    }

    /// Signs in the person of the link, and ends the sign-in of whoever was signed in before.
    private func follow(
        _ link: SignInLink, _ next: String?, _ former: BrowserSessions.Session?
    ) async throws(Problem) -> HTTPResponse {
        let secret: RefreshToken
        do throws(CryptoError) {
            secret = try RefreshToken(
                tenant: link.tenantID, session: link.sessionID, browser: self.secret, site.services.masterKey)
        } catch {
            throw Problem(fault: "\(error)")
        }
        let begun = try await statements.facts(
            Self.begin, as: visitor,
            [
                .text(link.userID), .text(link.sessionID), .instant(link.issuedAt), .bytea(secret.hash),
                .instant(request.receivedAt),
            ])
        guard begun != nil else { return try expired(next) }
        if let former {
            // A sign-in that stays behind ends by itself. It is no reason to refuse this one.
            _ = try? await site.call(
                .send(.post, "/v1/auth/sign-out"), for: request, as: .person(former), client: client)
        }
        return try await begin(secret.text, SignInPage.Errand(next: next, form: nil))
    }

    private func read(_ token: String) throws(Problem) -> SignInLink? {
        do throws(CryptoError) {
            return try SignInLink(token, tenant: tenant.id, site.services.masterKey)
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    private func expired(_ next: String?) throws(Problem) -> HTTPResponse {
        try show(path: request.path, try token(), status: .gone) { visit in
            SignInLinkPage(visit).expired(next: next, ownSignIn: tenant.signInURL)
        }
    }

    private var statements: Statements {
        Statements(pool: site.services.pool, client: tenant.id, request: request.id, transaction: nil)
    }

    private var visitor: Caller { Caller(tenantID: tenant.id, slug: tenant.slug, kind: .anyone) }

    private static let find = ProcedureCall(
        "api.sign_in_link", ["uuid", "uuid", "timestamptz"], lane: .reads, checksCaller: false)
    private static let begin = ProcedureCall(
        "api.begin_linked_session", ["uuid", "uuid", "timestamptz", "bytea", "timestamptz"], lane: .writes,
        worksWhileSuspended: true)
}
