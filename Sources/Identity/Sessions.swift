internal import Crypto
package import HTTP
package import JSON
internal import Postgres
package import Problems
package import Requests

/// Sign-ins. They begin with a one-time code, continue with refresh tokens that are valid once each, and end with a
/// sign-out.
package struct Sessions {
    /// The lifetime of a sign-in's access tokens, in seconds.
    package static let life = 900

    package let statements: Statements
    package let mint: TokenMint
    package let codes: OneTimeCodes

    /// Begins and ends sign-ins with `statements`.
    package init(statements: Statements, mint: TokenMint, codes: OneTimeCodes) {
        self.statements = statements
        self.mint = mint
        self.codes = codes
    }

    /// Answers `POST /v1/auth/otp/verify`.
    package func begin(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let contact = try Contact(request.body)
        let caller = try request.identified()
        // The key comes first: if it is unavailable, the code must not be used up.
        let key = try await mint.key(of: caller, at: request.now)
        let challenge = request.body?.root["challenge_id"]?.string
        let guesses = try await codes.guesses(
            request.body?.root["code"]?.string ?? "", of: contact, challenge: challenge, as: caller, at: request.now)
        let (session, secret) = try fresh(request, caller, "\(contact.address)\n\(challenge ?? "")")
        let answer = try await statements.facts(
            Self.signIn, as: caller,
            [
                .text(contact.channel), .text(contact.address), challenge.map { .text($0) } ?? .null, .bytes(guesses),
                .text(session), .bytea(secret.hash), .instant(request.now),
            ])
        return try response(answer, key, caller, session, secret, request)
    }

    /// Answers `POST /v1/auth/refresh`. If the answer is lost, or the key is unavailable, the client can repeat the
    /// call with the same token for one minute and gets a new successor.
    package func refresh(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let given = RefreshToken(request.body?.root["refresh_token"]?.string ?? "")
        // A browser's secret goes on for 60 days with each use. Whoever saw it once must not get tokens for it.
        guard !given.isOfBrowser else { throw Problem(.unauthenticated, Self.refusal) }
        let secret = RefreshToken(after: given)
        let answer = try await statements.facts(
            Self.refreshSession, as: nil, [.bytea(given.hash), .bytea(secret.hash), .instant(request.now)])
        guard let facts = answer?.root, let tenant = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string,
            let session = facts["session_id"]?.string
        else { throw Problem(fault: "api.refresh_session gave no session") }
        let caller = Caller(tenantID: tenant, slug: slug, kind: .anyone)
        let key = try await mint.key(of: caller, at: request.now)
        return try response(answer, key, caller, session, secret, request)
    }

    /// Answers `POST /v1/auth/sign-out`.
    package func end(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        let answer = try await statements.ask(
            Self.signOut, as: caller,
            [
                caller.session.map { .text($0) } ?? .null, .bool(Self.isEverywhere(request.body)),
                .instant(request.now),
            ])
        return try Answer.response(answer, success: request.success)
    }

    /// Whether a sign-out request ends every sign-in.
    package static func isEverywhere(_ body: JSONDocument?) -> Bool {
        body?.root["everywhere"]?.boolean ?? false
    }

    /// The id and the secret of a new sign-in by a code that was sent to an address. A form of a page that is sent
    /// again gets the same, since its first answer may be lost (`subject` and the code are what it asks for).
    private func fresh(
        _ request: HandledRequest, _ caller: Caller, _ subject: String
    ) throws(Problem) -> (session: String, secret: RefreshToken) {
        guard request.isFromPage else {
            return (UUID7.make(at: request.now), RefreshToken(tenant: caller.tenantID))
        }
        guard let form = request.formKey else {
            return (UUID7.make(at: request.now), RefreshToken(tenant: caller.tenantID, forBrowser: true))
        }
        do throws(CryptoError) {
            let code = request.body?.root["code"]?.string ?? ""
            let session = try form.id(
                for: "session\n\(caller.tenantID)\n\(subject)\n\(code)", with: codes.masterKey)
            return (
                session,
                try RefreshToken(
                    tenant: caller.tenantID, session: session, browser: form.browser, codes.masterKey)
            )
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    private func response(
        _ answer: JSONDocument?, _ key: TokenMint.Key, _ caller: Caller, _ session: String, _ secret: RefreshToken,
        _ request: HandledRequest
    ) throws(Problem) -> HTTPResponse {
        guard let facts = answer?.root, let user = facts["user_id"]?.string, let profile = facts["user"] else {
            throw Problem(fault: "a sign-in without a user")
        }
        let token = try mint.token(
            for: user, of: caller, session: session, seconds: Self.life, at: request.now, by: key)
        var json = JSONWriter()
        json.object { json in
            json.field("access_token", token)
            json.field("refresh_token", secret.text)
            json.field("token_type", "Bearer")
            json.field("expires_in", Self.life)
            json.field("user", json: profile.text)
        }
        return Answer.jsonResponse(request.success, json.bytes)
    }

    /// As `api.refresh_session` refuses a token.
    private static let refusal = "The refresh token is not valid any more. Sign in again."

    private static let signIn = ProcedureCall(
        "api.sign_in", ["text", "text", "uuid", "jsonb", "uuid", "bytea", "timestamptz"], lane: .writes,
        worksWhileSuspended: true)
    private static let refreshSession = ProcedureCall(
        "api.refresh_session", ["bytea", "bytea", "timestamptz"], lane: .writes)
    private static let signOut = ProcedureCall(
        "api.sign_out", ["uuid", "boolean", "timestamptz"], lane: .writes,
        worksWhileSuspended: true)
}
