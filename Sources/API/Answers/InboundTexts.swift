internal import Contacts
internal import Delivery
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests
internal import Texts

/// Takes the text messages that a tenant's provider forwards (J02).
enum InboundTexts {
    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .opaque)]

    private static let receive = ProcedureCall(
        "api.receive_text", ["integer", "bytea[]", "text", "jsonb", "timestamptz"], lane: .checkIns)

    /// Answers `POST /v1/inbound/sms/{token}`. What the person is told goes out as a text message on the tenant's
    /// channel.
    ///
    /// - Throws: ``Problem`` as ``InboundCall/init(_:_:channel:)``, and `invalid_request` if a field is missing.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let call = try await InboundCall(request, services, channel: "sms")
        guard let from = call[.from] else {
            throw Problem(.invalidRequest, "The field \(call.settings.name(of: .from)) with the number is missing.")
        }
        let hashes = try call.hashes
        let statements = Statements(
            pool: services.pool, client: call.tenantID, request: request.http.id, transaction: nil)
        _ = try await statements.ask(
            receive, as: nil,
            [
                .text(String(call.tenantID)), hashes,
                number(from).map { .text($0) } ?? .null,
                .bytes(meanings(of: call[.text] ?? "", optOut: call.values.value(at: "OptOutType"))),
                .instant(request.http.receivedAt),
            ])
        return HTTPResponse(.noContent, headers: ["Cache-Control": "no-store"])
    }

    /// A number in E.164; nil if it is none. Some providers leave out the plus.
    static func number(_ text: String) -> String? {
        let text = text.filter { !$0.isWhitespace }
        return (try? PhoneNumber(text.hasPrefix("+") ? text : "+\(text)"))?.e164
    }

    /// What a text means in each language, as JSON. `*` has what every language makes of a text that means nothing.
    ///
    /// Twilio says of a text that it has taken for STOP, START or HELP which one it was (`OptOutType`), because the
    /// tenant can give it words of its own (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out). A call
    /// for help comes first.
    static func meanings(of text: String, optOut: String?) -> [UInt8] {
        var meanings = TextCatalogue.kith.meanings(of: text)
        if let meaning = optOut.flatMap({ optOutTypes[$0.uppercased()] }), !meanings.values.contains(.help) {
            meanings = ["en": meaning]
        }
        var json = JSONWriter()
        json.object { json in
            for (tag, meaning) in meanings.sorted(by: { $0.key < $1.key }) {
                json.field(tag, meaning.rawValue)
            }
            if TextCatalogue.kith.isNearHelp(text) { json.field("*", "near_help") }
        }
        return json.bytes
    }

    private static let optOutTypes: [String: AnswerMeaning] = ["STOP": .stop, "START": .start, "HELP": .info]
}
