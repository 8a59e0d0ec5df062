internal import Contacts
internal import Crypto
internal import HTTP
internal import Identity
internal import JSON
internal import Pages
internal import Postgres
internal import Problems
internal import Requests

/// Serves the page of an invitation by token. Without an app or script, anybody who has the link can see the
/// invitation, accept it after a one-time code, or decline it. Viewing changes nothing; every change comes from a form
/// of the page.
struct InvitationPages {
    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .uuid)]
    /// The largest form in bytes. It is small, since anybody with a link can send one and reading it takes time.
    static let maximumBody = 8 << 10
    /// The fields of the forms.
    static let fields = JSONSchema.object([
        .init("form", .string(.opaque), required: true, "The form's token.", example: .text("5f2c9a1e07b34d68")),
        .init(
            "action", .component(.enumeration("InvitationFormAction", Action.allCases.map(\.rawValue))),
            required: true),
        .init(
            "contact", .string(.anything, length: 0...254),
            "Required for code and accept: an e-mail address or a phone number.",
            example: .text("+4915112345678")),
        .init("code", .string(.code), "Required for accept: the code that was sent to the contact.", example: .leftOut),
        .init(
            "challenge", .string(.anything, length: 0...36), "For accept: the challenge that the code belongs to.",
            example: .leftOut),
    ])

    /// The action of a button on the page.
    private enum Action: String, CaseIterable {
        case code, accept, decline
    }

    private let statements: Statements
    private let codes: OneTimeCodes
    private let masterKey: MasterKey
    private let answerTexts: AnswerTexts
    /// Whether the page is served over HTTPS, so that the cookie can be restricted to it.
    private let isSecure: Bool

    private static let page = ProcedureCall("api.invitation_page", ["uuid", "timestamptz"], lane: .reads)
    private static let accept = ProcedureCall(
        "api.accept_invitation_by_code", ["uuid", "text", "text", "uuid", "jsonb", "timestamptz"], lane: .writes)
    private static let decline = ProcedureCall("api.decline_invitation", ["uuid", "timestamptz"], lane: .writes)

    private init(_ services: Services, for request: HTTPRequest) {
        statements = Statements(pool: services.pool, client: Caller.strangers, request: request.id, transaction: nil)
        codes = OneTimeCodes(statements: statements, masterKey: services.masterKey)
        masterKey = services.masterKey
        answerTexts = services.answerTexts
        isSecure = services.publicURL.hasPrefix("https://")
    }

    /// Answers `GET /i/{token}`.
    ///
    /// - Throws: ``Problem`` `invitation_invalid` or `tenant_suspended`.
    static func show(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await InvitationPages(services, for: request.http).show(request.http, request.path[0])
    }

    /// Answers `POST /i/{token}`, which a form of the page sends. If the invitation has already been answered, the page
    /// shows the result, since a form may be sent twice.
    ///
    /// - Throws: ``Problem`` if the invitation cannot be accepted.
    static func submit(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try RequestBody.checkType(of: request.http, is: .form)
        return try await InvitationPages(services, for: request.http).submit(request.http, request.path[0])
    }

    private func show(_ request: HTTPRequest, _ token: String) async throws(Problem) -> HTTPResponse {
        try answer(try await page(of: find(token, at: request.receivedAt), request), to: request, token)
    }

    private func submit(_ request: HTTPRequest, _ token: String) async throws(Problem) -> HTTPResponse {
        let invitation = try await find(token, at: request.receivedAt)
        var page = await page(of: invitation, request)
        guard invitation.isPending else { return try answer(page, to: request, token) }
        let fields = Dictionary(request.form.filter(\.isUTF8).map { ($0.name, $0.value) }) { first, _ in first }
        guard try FormToken(request, subject: token, masterKey).isValid(fields["form"]) else {
            page.refuse("page.invitation.form_expired", .forbidden)
            return try answer(page, to: request, token)
        }
        switch Action(rawValue: fields["action"] ?? "") {
        case nil: throw Problem(.invalidRequest, "The form must have an action.")
        case .decline:
            _ = try await statements.ask(
                Self.decline, as: invitation.caller, [.text(token), .instant(request.receivedAt)])
            page = try await self.page(of: find(token, at: request.receivedAt), request)
        case .code:
            guard let contact = Self.contact(fields["contact"] ?? "", invitation) else {
                page.refuse("page.invitation.contact_invalid", .badRequest)
                break
            }
            page.challenge = try await codes.send(
                to: contact, as: invitation.caller, accepting: request.headers.list("Accept-Language"),
                at: request.receivedAt)
            page.contact = contact.address
        case .accept:
            guard let contact = Self.contact(fields["contact"] ?? "", invitation) else {
                throw Problem(.invalidRequest, "Accepting requires the address that the code was sent to.")
            }
            page.contact = contact.address
            page.challenge = fields["challenge"].flatMap { TextFormat.uuid.accepts($0) ? $0 : nil }
            do throws(Problem) {
                try await accept(
                    token, contact, code: fields["code"] ?? "", of: page.challenge, invitation, request)
                page = try await self.page(of: find(token, at: request.receivedAt), request)
            } catch {
                guard error.code == .otpInvalid else { throw error }
                // Another press of the button may have used the code.
                let now = try await self.page(of: find(token, at: request.receivedAt), request)
                if now.invitation.isPending { page.refuse(error, .badRequest) } else { page = now }
            }
        }
        return try answer(page, to: request, token)
    }

    private func accept(
        _ token: String, _ contact: Contact, code: String, of challenge: String?,
        _ invitation: InvitationPage.Invitation, _ request: HTTPRequest
    ) async throws(Problem) {
        // People type spaces too: codes are often shown in two groups.
        let code = code.filter { !$0.isWhitespace }
        guard TextFormat.code.accepts(code) else { throw Problem(.otpInvalid) }
        let guesses = try await codes.guesses(
            code, of: contact, challenge: challenge, as: invitation.caller, at: request.receivedAt)
        _ = try await statements.ask(
            Self.accept, as: invitation.caller,
            [
                .text(token), .text(contact.channel), .text(contact.address), challenge.map { .text($0) } ?? .null,
                .bytes(guesses), .instant(request.receivedAt),
            ])
    }

    private func find(_ token: String, at now: Int64) async throws(Problem) -> InvitationPage.Invitation {
        guard TextFormat.uuid.accepts(token) else { throw Problem(.invitationInvalid) }
        guard let facts = try await statements.facts(Self.page, as: nil, [.text(token), .instant(now)]) else {
            throw Problem(fault: "api.invitation_page gave nothing")
        }
        return try InvitationPage.Invitation(facts.root)
    }

    /// The page of an invitation in the visitor's language.
    private func page(of invitation: InvitationPage.Invitation, _ request: HTTPRequest) async -> InvitationPage {
        InvitationPage(invitation, await answerTexts.texts(for: request, invitation.caller.wording))
    }

    private func answer(
        _ page: InvitationPage, to request: HTTPRequest, _ token: String
    ) throws(Problem) -> HTTPResponse {
        guard page.invitation.isPending else { return page.response(form: nil, token) }
        let form = try FormToken(request, subject: token, masterKey)
        var response = page.response(form: form, token)
        form.set(in: &response, isSecure: isSecure)
        return response
    }

    /// Parses the address that somebody typed; nil if it is invalid.
    private static func contact(_ text: String, _ invitation: InvitationPage.Invitation) -> Contact? {
        contact(text, defaultRegion: invitation.defaultRegion)
    }

    /// Parses an address that somebody typed into a page; nil if it is invalid. A phone number without a country code
    /// is one of the region.
    static func contact(_ text: String, defaultRegion: String?) -> Contact? {
        let text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        if text.contains("@") {
            let isAddress = JSONSchema.objection(to: text, .email, TextFormat.email.usualLength) == nil
            return isAddress ? Contact(channel: "email", address: text) : nil
        }
        let region = defaultRegion.flatMap { PhoneRegion($0) }
        return (try? PhoneNumber(text, region: region)).map { Contact(channel: "sms", address: $0.e164) }
    }
}
