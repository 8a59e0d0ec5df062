internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts

/// Serves the page behind the link in a message about an alarm (K11): without a sign-in and without a script. Viewing
/// it changes nothing, because mail scanners and previews follow links; only the page's own form does.
struct AlarmLinkPages {
    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .opaque)]
    /// The largest form in bytes.
    static let maximumBody = 4 << 10
    /// The fields of the form.
    static let fields = JSONSchema.object([
        .init("form", .string(.opaque), required: true, "The form's token.", example: .text("5f2c9a1e07b34d68")),
        .init(
            "action", .component(.enumeration("AlarmLinkAction", Action.allCases.map(\.rawValue))), required: true),
        .init(
            "seen", .integer(0...Int.max),
            "When the page was shown, in microseconds since 1970. Without it a newer call for help refuses nothing.",
            example: .leftOut),
        .init(
            SecondThought.field, .integer(0...Int.max),
            "When the page asked whether the alarm is to end, in microseconds since 1970. Without it safe asks first.",
            example: .leftOut),
    ])

    /// The action of a button on the page.
    private enum Action: String, CaseIterable {
        case take, safe
    }

    private static let page = ProcedureCall(
        "api.alarm_page", ["integer", "bytea", "timestamptz"], lane: .reads)
    private static let use = ProcedureCall(
        "api.use_alarm_link", ["integer", "bytea", "text", "timestamptz", "timestamptz"], lane: .writes)

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

    /// Answers `GET /a/{token}`.
    ///
    /// - Throws: ``Problem`` if the database cannot be reached.
    static func show(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await answer(request, services) { (pages) throws(Problem) in
            try pages.page(try await pages.read())
        }
    }

    /// Answers `POST /a/{token}`, which the form of the page sends.
    ///
    /// - Throws: ``Problem`` `invalid_request` for a form that is none of the page's, `unsupported_media_type`.
    static func submit(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try RequestBody.checkType(of: request.http, is: .form)
        return try await answer(request, services) { (pages) throws(Problem) in try await pages.submit() }
    }

    /// A link that nobody knows looks like one that is no longer good.
    private static func answer(
        _ request: ResourceRequest, _ services: Services,
        by handle: (AlarmLinkPages) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) -> HTTPResponse {
        do throws(Problem) {
            return try await handle(try AlarmLinkPages(request, services))
        } catch {
            guard error.code == .notFound else { throw error }
            let texts = await services.answerTexts.texts(for: request.http, nil)
            return AlarmLinkPage(texts).over(brand: nil)
        }
    }

    private func submit() async throws(Problem) -> HTTPResponse {
        let fields = Dictionary(request.form.filter(\.isUTF8).map { ($0.name, $0.value) }) { first, _ in first }
        guard let action = Action(rawValue: fields["action"] ?? "") else {
            throw Problem(.invalidRequest, "The form must have an action.")
        }
        guard try form.isValid(fields["form"]) else {
            return try page(try await read(), refusedBy: "page.invitation.form_expired")
        }
        if action == .safe, SecondThought.asked(fields[SecondThought.field], at: request.receivedAt) == nil {
            return try page(try await read(), asks: fields[SecondThought.field] == nil ? .once : .again)
        }
        let seen = fields["seen"].flatMap(Int64.init).map { min(max($0, 0), request.receivedAt) }
        let facts = try await statements.facts(
            Self.use, as: nil,
            [
                .text(String(link.tenantID)), .bytea(link.hash), .text(action.rawValue),
                seen.map { .instant($0) } ?? .null,
                .instant(request.receivedAt),
            ])
        let isRead = facts?.root["called_again"]?.boolean != true
        return try page(try await read(facts), refusedBy: isRead ? nil : "page.alarm.called_again", .conflict)
    }

    private func read() async throws(Problem) -> Content {
        try await read(
            statements.facts(
                Self.page, as: nil, [.text(String(link.tenantID)), .bytea(link.hash), .instant(request.receivedAt)]))
    }

    private func read(_ facts: JSONDocument?) async throws(Problem) -> Content {
        guard let root = facts?.root, let tenantID = root["tenant_id"]?.integer else {
            throw Problem(fault: "the procedure of a link about an alarm left something out")
        }
        let wording = Wording(root["wording"], tenantID: tenantID, locale: root["locale"]?.string)
        return Content(facts: root, texts: await services.answerTexts.texts(for: request, wording))
    }

    /// What the page shows, in the visitor's language.
    private struct Content {
        let facts: JSONValue
        let texts: Texts
    }

    private func page(
        _ content: Content, asks: AlarmLinkPage.Asking = .nothing, refusedBy notice: String? = nil,
        _ status: HTTPStatus = .forbidden
    ) throws(Problem) -> HTTPResponse {
        let (page, facts) = (AlarmLinkPage(content.texts), content.facts)
        let brand = facts["brand_name"]?.string ?? ""
        guard facts["is_open"]?.boolean == true, let kind = facts["kind"]?.string,
            let name = facts["first_name"]?.string
        else {
            return facts["done"]?.string == Action.safe.rawValue ? page.done(brand: brand) : page.over(brand: brand)
        }
        let taking: AlarmLinkPage.Taking =
            if facts["is_taken"]?.boolean != true {
                .nobody
            } else if facts["taken_by_me"]?.boolean == true {
                .me(until: LocalTime(page: facts["taken_until"]?.string))
            } else {
                .other(facts["taken_by"]?.string)
            }
        return page.response(
            .init(
                kind: kind, path: "/a/\(link.token)", form: try form, seenAt: request.receivedAt, name: name,
                brand: brand,
                openedAt: LocalTime(page: facts["opened_at"]?.string), taking: taking, asks: asks,
                notice: notice.map { content.texts($0) }, status: notice == nil ? .ok : status))
    }

    /// The token of the page's form. It is bound to the link and to no cookie, as that of a check-in link.
    private var form: FormToken {
        get throws(Problem) {
            try FormToken(subject: "/a/\(link.token)", secret: "", isKnown: true, services.masterKey)
        }
    }
}
