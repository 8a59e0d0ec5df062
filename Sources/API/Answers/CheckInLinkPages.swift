internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import KithCountries
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// Serves the page behind the link in the message that a ping is due, or in a reminder (J01): without a sign-in and
/// without a script. Viewing it changes nothing, because mail scanners and previews follow links; only the page's own
/// form does.
struct CheckInLinkPages {
    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .opaque)]
    /// The largest form in bytes.
    static let maximumBody = 4 << 10
    /// The fields of the form.
    static let fields = JSONSchema.object([
        .init("form", .string(.opaque), required: true, "The form's token.", example: .text("5f2c9a1e07b34d68")),
        .init(
            "action", .component(.enumeration("CheckInLinkAction", Action.allCases.map(\.rawValue))), required: true),
        .init(
            SecondThought.field, .integer(0...Int.max),
            "When the page asked whether a call for help is to end, in microseconds since 1970.", example: .leftOut),
    ])

    /// The action of a button on the page.
    private enum Action: String, CaseIterable {
        case safe, help
    }

    private static let page = ProcedureCall(
        "api.check_in_page", ["integer", "bytea", "timestamptz"], lane: .reads)
    private static let use = ProcedureCall(
        "api.use_check_in_link", ["integer", "bytea", "text", "timestamptz", "timestamptz"], lane: .writes)

    private let statements: Statements
    private let services: Services
    private let request: HTTPRequest
    private let link: MessageLink

    /// - Throws: ``Problem`` `not_found` if the path has no such link.
    private init(_ request: ResourceRequest, _ services: Services) throws(Problem) {
        guard let link = MessageLink(request.path[0]) else { throw Problem(.notFound) }
        self.link = link
        self.services = services
        self.request = request.http
        statements = Statements(
            pool: services.pool, client: Caller.strangers, request: request.http.id, transaction: nil)
    }

    /// Answers `GET /c/{token}`.
    ///
    /// - Throws: ``Problem`` if the database cannot be reached.
    static func show(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await answer(request, services) { (pages) throws(Problem) in
            try pages.page(try await pages.read())
        }
    }

    /// Answers `POST /c/{token}`, which the form of the page sends.
    ///
    /// - Throws: ``Problem`` `invalid_request` for a form that is none of the page's, `unsupported_media_type`.
    static func submit(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try RequestBody.checkType(of: request.http, is: .form)
        return try await answer(request, services) { (pages) throws(Problem) in try await pages.submit() }
    }

    /// A link that nobody knows looks like one that has ended.
    private static func answer(
        _ request: ResourceRequest, _ services: Services,
        by handle: (CheckInLinkPages) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) -> HTTPResponse {
        do throws(Problem) {
            return try await handle(try CheckInLinkPages(request, services))
        } catch {
            guard error.code == .notFound else { throw error }
            let texts = await services.answerTexts.texts(for: request.http, nil)
            let action = Action(rawValue: fields(of: request.http)["action"] ?? "")
            return CheckInLinkPage(texts).ended(
                brand: nil, first: action == .help ? EmergencyNumber.notTold(texts, number: nil) : "")
        }
    }

    private static func fields(of request: HTTPRequest) -> [String: String] {
        guard request.method == .post else { return [:] }
        return Dictionary(request.form.filter(\.isUTF8).map { ($0.name, $0.value) }) { first, _ in first }
    }

    private func submit() async throws(Problem) -> HTTPResponse {
        let fields = Self.fields(of: request)
        guard let action = Action(rawValue: fields["action"] ?? "") else {
            throw Problem(.invalidRequest, "The form must have an action.")
        }
        guard try form.isValid(fields["form"]) else {
            return try page(try await read(), pressed: action, refusedBy: "page.invitation.form_expired")
        }
        let facts = try await statements.facts(
            Self.use, as: nil,
            [
                .text(String(link.tenantID)), .bytea(link.hash), .text(action.rawValue),
                SecondThought.asked(fields[SecondThought.field], at: request.receivedAt).map { .instant($0) } ?? .null,
                .instant(request.receivedAt),
            ])
        let content = try await read(facts)
        guard content.facts["asks"]?.boolean == true else { return try page(content, pressed: action) }
        return CheckInLinkPage(content.texts).ask(
            try question(content), askedAt: request.receivedAt, isAgain: fields[SecondThought.field] != nil)
    }

    private func read() async throws(Problem) -> Content {
        try await read(
            statements.facts(
                Self.page, as: nil, [.text(String(link.tenantID)), .bytea(link.hash), .instant(request.receivedAt)]))
    }

    private func read(_ facts: JSONDocument?) async throws(Problem) -> Content {
        guard let root = facts?.root, let tenantID = root["tenant_id"]?.integer else {
            throw Problem(fault: "the procedure of a check-in link left something out")
        }
        let wording = Wording(root["wording"], tenantID: tenantID, locale: root["locale"]?.string)
        return Content(facts: root, texts: await services.answerTexts.texts(for: request, wording))
    }

    /// What the page shows, in the visitor's language.
    private struct Content {
        let facts: JSONValue
        let texts: Texts

        /// The number of the rescue services where the person is.
        var emergencyNumber: String {
            EmergencyNumber.of(zone: facts["time_zone"]?.string ?? "", phone: facts["phone"]?.string)
        }
    }

    /// The page after `action`, which was carried out unless the link has ended or the form was refused. Whoever has
    /// called for help in vain reads that first (K13).
    private func page(
        _ content: Content, pressed action: Action? = nil, refusedBy notice: String? = nil
    ) throws(Problem) -> HTTPResponse {
        let page = CheckInLinkPage(content.texts)
        let isOpen = content.facts["is_open"]?.boolean == true
        let isDone = isOpen && notice == nil
        let first =
            action == .help && !isDone ? EmergencyNumber.notTold(content.texts, number: content.emergencyNumber) : ""
        guard isOpen else { return page.ended(brand: content.facts["brand_name"]?.string, first: first) }
        let checkedInAt = content.facts["checked_in_at"]?.string
        let told = content.facts["told"]?.integer ?? 0
        let message: HTML? =
            switch isDone ? action : nil {
            case .safe: page.checkedIn(checkedInAt, thanks: true)
            case .help: page.told(told, number: content.emergencyNumber)
            case nil: page.checkedIn(checkedInAt, thanks: false)
            }
        return page.response(
            try question(content, first: first, message: message, notice: notice.map { content.texts($0) }))
    }

    private func question(
        _ content: Content, first: HTML = "", message: HTML? = nil, notice: String? = nil
    ) throws(Problem) -> CheckInLinkPage.Question {
        CheckInLinkPage.Question(
            path: "/c/\(link.token)", form: try form, name: content.facts["first_name"]?.string,
            brand: content.facts["brand_name"]?.string ?? "",
            isCalling: content.facts["is_calling"]?.boolean ?? false,
            isHeard: content.facts["is_heard"]?.boolean ?? true, first: first, message: message, notice: notice,
            status: notice == nil ? .ok : .forbidden)
    }

    /// The token of the page's form. It is bound to the link and to no cookie, which a browser inside another app may
    /// not keep: whoever can read it has the link.
    private var form: FormToken {
        get throws(Problem) {
            try FormToken(subject: "/c/\(link.token)", secret: "", isKnown: true, services.masterKey)
        }
    }
}
