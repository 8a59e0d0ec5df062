internal import Crypto
internal import HTTP
internal import Identity
internal import JSON
internal import Postgres
internal import Problems
internal import Requests
internal import Web

/// Makes links by which people sign in to the web client, for a tenant's server that knows who they are.
struct SignInLinks {
    let statements: Statements
    let masterKey: MasterKey
    let publicURL: String

    /// Answers `POST /v1/sign-in-links`.
    func make(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        guard let root = request.body?.root, let user = root["user_id"]?.string else {
            throw Problem(fault: "a checked body without user_id")
        }
        let next = root["next"]?.string
        if let next, !SignInPage.Errand.isLocal(next) {
            throw .invalid("next", "must be a path of the web client, like /today")
        }
        guard let facts = try await statements.facts(Self.subject, as: caller, [.text(user)])?.root,
            let subject = facts["user_id"]?.string, let validFrom = facts["tokens_valid_from"]?.integer
        else { throw Problem(fault: "api.token_subject gave no user") }
        // Signing out everywhere ends all links of its second. One that is requested after it must not be among them.
        let link = SignInLink(
            tenant: caller.tenantID, user: subject, issuedAt: max(request.now, Int64(validFrom)))
        let host = facts["host"]?.string
        let base = host.map { "https://\($0)" } ?? (publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL)
        let address = SignInLinkPage.address(
            try token(of: link), next: next, tenant: host == nil ? caller.slug : nil)
        var json = JSONWriter()
        json.object { json in
            json.field("url", base + address)
            json.field("expires_in", SignInLink.life)
        }
        return Answer.jsonResponse(request.success, json.bytes)
    }

    private func token(of link: SignInLink) throws(Problem) -> String {
        do throws(CryptoError) {
            return try link.token(masterKey)
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    private static let subject = ProcedureCall("api.token_subject", ["uuid"], lane: .reads, checksCaller: true)
}
