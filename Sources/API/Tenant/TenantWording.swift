internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests
internal import Texts

/// A tenant's own words for the texts of the catalogue. The database keeps and checks them; the server knows the
/// catalogue.
enum TenantWording {
    /// Answers `GET /v1/tenant/texts/{locale}`.
    static func list(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let own = try await request.statements.facts(
            own, as: request.identified(), [request.arguments["locale"]])
        return try answer(request, own)
    }

    /// Answers `PUT /v1/tenant/texts/{locale}`.
    static func set(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        guard let body = request.body?.root.text else { throw Problem(fault: "a checked body that is missing") }
        let own = try await request.statements.facts(
            replace, as: request.identified(), [request.arguments["locale"], .bytes(body), .instant(request.now)])
        return try answer(request, own)
    }

    /// Every text of the language with the tenant's own, which the database has found to be one of the catalogue.
    private static func answer(_ request: HandledRequest, _ own: JSONDocument?) throws(Problem) -> HTTPResponse {
        let catalogue = TextCatalogue.kith
        guard let texts = own?.root["texts"], let language = request.arguments.text("locale").flatMap({ catalogue[$0] })
        else { throw Problem(fault: "texts of a language that the catalogue lacks") }
        var json = JSONWriter()
        json.object { json in
            json.array("items", catalogue.keys) { json, key in
                json.object { json in
                    json.field("key", key)
                    json.array("placeholders", catalogue.english.texts[key]?.placeholders ?? []) { $0.string($1) }
                    json.field("default", json: catalogue.text(key, in: language)?.text.json ?? [])
                    json.field("text", json: texts[key]?.text ?? Array("null".utf8))
                }
            }
            json.field("next_cursor", json: Array("null".utf8))
        }
        return Answer.jsonResponse(request.success, json.bytes)
    }

    private static let own = ProcedureCall("api.tenant_texts", ["text"], lane: .reads)
    private static let replace = ProcedureCall(
        "api.set_tenant_texts", ["text", "jsonb", "timestamptz"], lane: .writes)
}

extension TextTemplate {
    /// The text as the API has it: a string, or an object of strings by plural category.
    fileprivate var json: [UInt8] {
        var json = JSONWriter()
        guard isPlural else {
            json.string(sources[.other] ?? "")
            return json.bytes
        }
        json.object { json in
            for (category, words) in sources.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                json.field(category.rawValue, words)
            }
        }
        return json.bytes
    }
}
