internal import HTTP
internal import JSON
internal import KithCountries
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// Serves the page behind the link in a message about an alarm (K11).
struct AlarmLinkPages {
    /// The fields of the form.
    static let fields = JSONSchema.object([
        LinkVisit.form,
        .init(
            "action", .component(.enumeration("AlarmLinkAction", Action.allCases.map(\.rawValue))), required: true),
        .init(
            "seen", .integer(0...Int.max),
            "When the page was shown, in microseconds since 1970. Without it a newer call for help refuses nothing.",
            example: .leftOut),
        .init(
            SecondThought.field, .integer(0...Int.max),
            """
            When the page asked whether the alarm is to end, in microseconds since 1970. Without it safe and \
            help_called ask first.
            """,
            example: .leftOut),
    ])

    /// The action of a button on the page.
    private enum Action: String, CaseIterable {
        case take, release, safe
        case helpCalled = "help_called"

        /// Whether it ends the alarm, so that it is asked once more.
        var isEnd: Bool { self == .safe || self == .helpCalled }
    }

    private static let page = ProcedureCall(
        "api.alarm_page", ["integer", "bytea", "timestamptz"], lane: .reads)
    private static let use = ProcedureCall(
        "api.use_alarm_link", ["integer", "bytea", "text", "timestamptz", "timestamptz"], lane: .writes)

    private let visit: LinkVisit

    /// Answers `GET /a/{token}`.
    ///
    /// - Throws: ``Problem`` if the database cannot be reached.
    static func show(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await answer(request, services) { (pages) throws(Problem) in
            try pages.page(try await pages.visit.read(page))
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
            return try await handle(AlarmLinkPages(visit: try LinkVisit(request, in: "a", services)))
        } catch {
            guard error.code == .notFound else { throw error }
            let texts = await services.answerTexts.texts(for: request.http, nil)
            return AlarmLinkPage.over(brand: nil, texts)
        }
    }

    private func submit() async throws(Problem) -> HTTPResponse {
        let fields = LinkVisit.fields(of: visit.request)
        guard let action = Action(rawValue: fields["action"] ?? "") else {
            throw Problem(.invalidRequest, "The form must have an action.")
        }
        guard try visit.form.isValid(fields["form"]) else {
            return try page(try await visit.read(Self.page), refusedBy: "page.invitation.form_expired")
        }
        let receivedAt = visit.request.receivedAt
        if action.isEnd, SecondThought.asked(fields[SecondThought.field], at: receivedAt) == nil {
            let isAgain = fields[SecondThought.field] != nil
            return try page(
                try await visit.read(Self.page), ending: .init(outcome: action.rawValue, isAgain: isAgain))
        }
        let seen = fields["seen"].flatMap(Int64.init).map { min(max($0, 0), receivedAt) }
        let content = try await visit.read(Self.use, [.text(action.rawValue), seen.map { .instant($0) } ?? .null])
        let isRead = content.facts["called_again"]?.boolean != true
        return try page(content, refusedBy: isRead ? nil : "page.alarm.called_again", .conflict)
    }

    private func page(
        _ content: LinkVisit.Content, ending: AlarmLinkPage.Ending? = nil, refusedBy notice: String? = nil,
        _ status: HTTPStatus = .forbidden
    ) throws(Problem) -> HTTPResponse {
        let (facts, texts) = (content.facts, content.texts)
        let brand = Brand(facts)
        let zone = facts["time_zone"]?.string ?? ""
        let page = AlarmLinkPage(Words(texts, timeZone: zone, now: visit.request.receivedAt))
        guard facts["is_open"]?.boolean == true, let id = facts["id"]?.string, let name = facts["first_name"]?.string
        else {
            return facts["done"]?.string == nil ? AlarmLinkPage.over(brand: brand, texts) : page.done(brand: brand)
        }
        let taking: AlarmLinkPage.Taking =
            if facts["is_taken"]?.boolean == true {
                facts["taken_by_me"]?.boolean == true ? .me : .other
            } else {
                facts["declined_by_me"]?.boolean == true ? .declined : .nobody
            }
        return page.response(
            .init(
                sheet: AlarmSheet(facts, name: name, call: facts["words"]?.string), name: name, path: visit.path,
                fullPage: AlarmScreen.path(of: id), form: try visit.form, seenAt: visit.request.receivedAt,
                brand: brand,
                emergencyNumber: EmergencyNumber.of(zone: zone, phone: facts["phone"]?.string),
                taking: taking, ending: ending, notice: notice.map { texts($0) },
                status: notice == nil ? .ok : status))
    }
}
