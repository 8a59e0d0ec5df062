internal import HTTP
internal import JSON
internal import KithCountries
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// Serves the page behind the link in the message that a ping is due, or in a reminder (J01).
struct CheckInLinkPages {
    /// The fields of the form.
    static let fields = JSONSchema.object([
        LinkVisit.form,
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

    private let visit: LinkVisit

    /// Answers `GET /c/{token}`.
    ///
    /// - Throws: ``Problem`` if the database cannot be reached.
    static func show(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await answer(request, services) { (pages) throws(Problem) in
            try pages.page(try await pages.visit.read(page))
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
            return try await handle(CheckInLinkPages(visit: try LinkVisit(request, in: "c", services)))
        } catch {
            guard error.code == .notFound else { throw error }
            let texts = await services.answerTexts.texts(for: request.http, nil)
            let action = Action(rawValue: LinkVisit.fields(of: request.http)["action"] ?? "")
            return CheckInLinkPage(texts).ended(
                brand: nil, first: action == .help ? EmergencyNumber.notTold(texts, number: nil) : "")
        }
    }

    private func submit() async throws(Problem) -> HTTPResponse {
        let fields = LinkVisit.fields(of: visit.request)
        guard let action = Action(rawValue: fields["action"] ?? "") else {
            throw Problem(.invalidRequest, "The form must have an action.")
        }
        guard try visit.form.isValid(fields["form"]) else {
            return try page(
                try await visit.read(Self.page), pressed: action, refusedBy: "page.invitation.form_expired")
        }
        let receivedAt = visit.request.receivedAt
        let askedAt = SecondThought.asked(fields[SecondThought.field], at: receivedAt)
        let content = try await visit.read(
            Self.use, [.text(action.rawValue), askedAt.map { .instant($0) } ?? .null])
        guard content.facts["asks"]?.boolean == true else { return try page(content, pressed: action) }
        return CheckInLinkPage(content.texts).ask(
            try question(content), askedAt: receivedAt, isAgain: fields[SecondThought.field] != nil)
    }

    /// The number of the rescue services where the person is.
    private func emergencyNumber(_ facts: JSONValue) -> String {
        EmergencyNumber.of(zone: facts["time_zone"]?.string ?? "", phone: facts["phone"]?.string)
    }

    /// The page after `action`, which was carried out unless the link has ended or the form was refused. Whoever has
    /// called for help in vain reads that first (K13).
    private func page(
        _ content: LinkVisit.Content, pressed action: Action? = nil, refusedBy notice: String? = nil
    ) throws(Problem) -> HTTPResponse {
        let page = CheckInLinkPage(content.texts)
        let number = emergencyNumber(content.facts)
        let isOpen = content.facts["is_open"]?.boolean == true
        let isDone = isOpen && notice == nil
        let first = action == .help && !isDone ? EmergencyNumber.notTold(content.texts, number: number) : ""
        guard isOpen else { return page.ended(brand: Brand(content.facts), first: first) }
        let checkedInAt = content.facts["checked_in_at"]?.string
        let told = content.facts["told"]?.integer ?? 0
        let message: HTML? =
            switch isDone ? action : nil {
            case .safe: page.checkedIn(checkedInAt, thanks: true)
            case .help: page.told(told, number: number)
            case nil: page.checkedIn(checkedInAt, thanks: false)
            }
        return page.response(
            try question(content, first: first, message: message, notice: notice.map { content.texts($0) }))
    }

    private func question(
        _ content: LinkVisit.Content, first: HTML = "", message: HTML? = nil, notice: String? = nil
    ) throws(Problem) -> CheckInLinkPage.Question {
        CheckInLinkPage.Question(
            path: visit.path, form: try visit.form, name: content.facts["first_name"]?.string,
            brand: Brand(content.facts),
            isCalling: content.facts["is_calling"]?.boolean ?? false,
            isHeard: content.facts["is_heard"]?.boolean ?? true, first: first, message: message, notice: notice,
            status: notice == nil ? .ok : .forbidden)
    }
}
