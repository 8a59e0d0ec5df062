internal import Crypto
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Care cards and places (K07, K08): seals what a person writes before the database gets it, and opens it for those who
/// may see it.
struct CareCards {
    /// The largest card: its sections as JSON, in bytes.
    private static let maximumSize = 4096

    private let statements: Statements
    private let caller: Caller
    private let masterKey: MasterKey

    private init(_ statements: Statements, _ caller: Caller, _ masterKey: MasterKey) {
        (self.statements, self.caller, self.masterKey) = (statements, caller, masterKey)
    }

    private init(_ request: HandledRequest, _ services: Services) throws(Problem) {
        self.init(request.statements, try request.identified(), services.masterKey)
    }

    /// A person's own card as `GET /v1/me/care-card` gives it, for their export.
    static func json(
        of caller: Caller, _ statements: Statements, _ masterKey: MasterKey, at now: Int64
    ) async throws(Problem) -> [UInt8] {
        try await CareCards(statements, caller, masterKey).json(getCard, [.instant(now)])
    }

    /// Answers `GET /v1/me/care-card`.
    static func own(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await CareCards(request, services).show(request, getCard, [.instant(request.now)])
    }

    /// Answers `GET /v1/alarms/{id}/care-card`.
    static func inAlarm(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await CareCards(request, services).show(
            request, openAlarmCard, [request.arguments["id"], .instant(request.now)])
    }

    /// Answers `GET /v1/connections/{id}/care-card`.
    static func always(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await CareCards(request, services).show(
            request, openConnectionCard, [request.arguments["id"], .instant(request.now)])
    }

    /// Answers `PUT /v1/me/care-card`.
    static func put(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let cards = try CareCards(request, services)
        guard let sections = request.body?.root["sections"]?.text else {
            throw Problem(fault: "a checked body without sections")
        }
        guard sections.count <= maximumSize else {
            throw .invalid("sections", "must be at most 4096 bytes in total")
        }
        let wrapped: [UInt8]
        let sealed: [UInt8]
        do throws(CryptoError) {
            let key = PersonalKey.generate(table: table, tenant: cards.caller.tenantID, user: cards.caller.user)
            wrapped = try key.wrapped(with: cards.masterKey)
            sealed = try key.seal(sections)
        } catch {
            throw Problem(fault: "a care card cannot be sealed: \(error)")
        }
        return try await cards.show(request, putCard, [.bytea(wrapped), .bytea(sealed), .instant(request.now)])
    }

    /// The answer with what the procedure returns, opened.
    private func show(
        _ request: HandledRequest, _ call: ProcedureCall, _ values: [PostgresValue]
    ) async throws(Problem) -> HTTPResponse {
        Answer.jsonResponse(request.success, try await json(call, values))
    }

    /// What the procedure returns, opened, as JSON.
    private func json(_ call: ProcedureCall, _ values: [PostgresValue]) async throws(Problem) -> [UInt8] {
        guard let stored = try await statements.facts(call, as: caller, values) else {
            throw Problem(fault: "a care card without an answer")
        }
        guard let user = stored.root["user_id"]?.string else { throw Problem(fault: "a care card of nobody") }
        let sections = try open(stored.root["card"], table: Self.table, user: user)
        let location = try open(stored.root["place"], table: PlaceSealer.table, user: user)
        var json = JSONWriter()
        json.object { json in
            json.field("sections", json: sections ?? Array("[]".utf8))
            json.field("location", json: location ?? Array("null".utf8))
            if let views = stored.root["views"]?.text { json.field("views", json: views) }
        }
        return json.bytes
    }

    private func open(_ sealed: JSONValue?, table: String, user: String) throws(Problem) -> [UInt8]? {
        guard let key = sealed?["sealed_key"]?.string.flatMap(Hex.decode),
            let value = sealed?["sealed"]?.string.flatMap(Hex.decode)
        else { return nil }
        do throws(CryptoError) {
            return try PersonalKey(
                wrapped: key, table: table, tenant: caller.tenantID, user: user, with: masterKey
            ).open(value)
        } catch {
            throw Problem(fault: "a sealed value of \(table) cannot be opened: \(error)")
        }
    }

    private static let table = "care_cards"
    private static let getCard = ProcedureCall("api.get_care_card", ["timestamptz"], lane: .reads)
    private static let putCard = ProcedureCall(
        "api.put_care_card", ["bytea", "bytea", "timestamptz"], lane: .writes)
    private static let openAlarmCard = ProcedureCall(
        "api.open_alarm_card", ["uuid", "timestamptz"], lane: .writes, checksCaller: false)
    private static let openConnectionCard = ProcedureCall(
        "api.open_connection_card", ["uuid", "timestamptz"], lane: .writes, checksCaller: false)
}
