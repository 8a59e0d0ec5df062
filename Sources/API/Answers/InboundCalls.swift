internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts

/// Takes what a tenant's provider reports of a phone call: the key that was pressed, who answered, and that it is over
/// (J03).
enum InboundCalls {
    /// The path's parameters.
    static let parameters: [Argument] = [
        .path("token", .opaque),
        .query("call", .text(.line), "The call that is reported, as the address that the provider was given says."),
    ]

    private static let receive = ProcedureCall(
        "api.receive_call", ["integer", "uuid", "bytea[]", "text", "text", "boolean", "timestamptz"], lane: .checkIns
    )

    /// Answers `POST /v1/inbound/voice/{token}?call=…`. A provider that speaks TwiML is told what to say.
    ///
    /// - Throws: ``Problem`` as ``InboundCall/init(_:_:channel:)``, and `not_found` for a call that Kith did not start
    ///   in the last hour.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let call = try await InboundCall(request, services, channel: "voice")
        let speaksTwiML = call.settings.speaksTwiML
        let given = call[.key]
        let isMachine = isMachine(call[.answeredBy])
        let unheard = isMachine ? "machine" : given == nil ? unheard(call[.status]) : nil
        let id = request.http.parameter("call")
        if id == "test" || id == nil && given == nil {
            return response(speaksTwiML ? say(Texts.english("voice.test"), in: "en") : nil)
        }
        let delivery = id.flatMap { TextFormat.uuid.accepts($0) ? $0 : nil }
        guard delivery != nil || given != nil else { throw Problem(.notFound) }
        // An entry that is no key says nothing about the person.
        let pressed = given.flatMap(key)
        let isUnclear = given != nil && pressed == nil && !isMachine
        // A key that belongs to no call is counted, whatever it is.
        let key = delivery == nil ? given : pressed
        // A signature of the body does not cover the address, which says for whom the key is. So a call of the
        // provider's counts for one person.
        let own = key == nil ? try? call.id : try call.id
        let hashes = own.map { own in
            let bound = "\(own)\n\(delivery ?? "")"
            return InboundCall.array([own, bound] + (key.map { ["\(bound)\n\($0)"] } ?? []))
        }
        let statements = Statements(
            pool: services.pool, client: call.tenantID, request: request.http.id, transaction: nil)
        let facts = try await statements.facts(
            receive, as: nil,
            [
                .text(String(call.tenantID)), delivery.map { .text($0) } ?? .null, hashes ?? .null,
                key.map { .text($0) } ?? .null, unheard.map { .text($0) } ?? .null,
                .bool(isUnclear || isOver(call[.status], speaksTwiML: speaksTwiML)),
                .instant(request.http.receivedAt),
            ])
        if facts?.root["outcome"]?.string == "unknown_call" { throw Problem(.notFound) }
        if isUnclear {
            throw Problem(
                .validationFailed,
                errors: [.init(field: call.settings.name(of: .key), message: "must be one key, such as 1 or 2")])
        }
        guard speaksTwiML, let id = delivery, let text = facts?.root["text"]?.string else {
            return response(speaksTwiML ? "" : nil)
        }
        let language = facts?.root["language"]?.string ?? "en"
        guard facts?.root["takes_key"]?.boolean == true else { return response(say(text, in: language)) }
        return response(
            """
            <Gather numDigits="1" timeout="10" action="\(services.publicURL + request.http.path)?call=\(id)" method="POST">\
            \(say(text, in: language))</Gather>
            """)
    }

    /// The key of a provider that reports what was typed: one digit, which may be pressed several times, without one
    /// `#` or `*` that ends the entry. Nil for anything else: nobody knows what was meant.
    static func key(_ typed: String) -> String? {
        let digits = typed.hasSuffix("#") || typed.hasSuffix("*") ? typed.dropLast() : typed[...]
        guard let first = digits.first, first.isASCII, first.isNumber, digits.allSatisfy({ $0 == first }) else {
            return nil
        }
        return String(first)
    }

    /// Whether a machine answered, by the word of the provider: Twilio says human, unknown, fax, or machine_… .
    static func isMachine(_ answeredBy: String?) -> Bool {
        guard let word = answeredBy?.lowercased() else { return false }
        return word.hasPrefix("machine") || word == "fax" || word == "voicemail"
    }

    /// Why nobody heard a call, by its status: a word of Twilio
    /// (https://www.twilio.com/docs/voice/api/call-resource#call-status-values) or of another provider. Nil if somebody
    /// answered, or may have.
    static func unheard(_ status: String?) -> String? {
        switch status?.lowercased().replacing("_", with: "-") {
        case "no-answer", "unanswered", "timeout": "no_answer"
        case "busy": "busy"
        case "failed", "canceled", "cancelled", "rejected": "failed"
        default: nil
        }
    }

    /// Whether a call is over. A provider that does not ask what to say reports nothing else than keys and the end.
    static func isOver(_ status: String?, speaksTwiML: Bool) -> Bool {
        guard let status else { return !speaksTwiML }
        return !["queued", "initiated", "ringing", "in-progress"].contains(status.lowercased())
    }

    /// Words to be read out (https://www.twilio.com/docs/voice/twiml/say).
    private static func say(_ text: String, in language: String) -> HTML {
        let tag = language.hasPrefix("de") ? "de-DE" : language == "en" ? "en-GB" : language
        return "<Say language=\"\(tag)\">\(text)</Say>"
    }

    /// The answer to a provider: TwiML, or nothing for one that does not speak it.
    private static func response(_ twiML: HTML?) -> HTTPResponse {
        guard let twiML else { return HTTPResponse(.noContent, headers: ["Cache-Control": "no-store"]) }
        let document: HTML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response>\(twiML)</Response>\n"
        return HTTPResponse(
            .ok, headers: ["Content-Type": "text/xml; charset=utf-8", "Cache-Control": "no-store"],
            body: Array(document.text.utf8))
    }
}
