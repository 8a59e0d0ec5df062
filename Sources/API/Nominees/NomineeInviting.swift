internal import Contacts
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Invites nominees. The server validates each of them and parses their phone numbers; the database does everything
/// else. An invalid one stops no other.
struct NomineeInviting {
    private let statements: Statements
    private let publicURL: String

    private static let begin = ProcedureCall("api.begin_nominees", ["uuid", "timestamptz"], lane: .reads)
    private static let invite = ProcedureCall(
        "api.invite_nominees", ["uuid", "jsonb", "text", "timestamptz"], lane: .writes)
    /// The schema of one of several invitees. The endpoint has validated a single one, except for missing members.
    private static let invitee = JSONComponent.invitee.schema

    /// Answers `POST /v1/vaults/{id}/nominees`.
    static func answer(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await NomineeInviting(statements: request.statements, publicURL: services.publicURL).answer(request)
    }

    private func answer(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let root = request.body?.root else { throw Problem(fault: "a checked body that is not there") }
        guard let several = root["nominees"]?.elements else {
            let results = try await invite([root], request)
            if case .failure(let problem) = results[0] { throw problem }
            return try Self.response(results, isSingle: true, request)
        }
        let others = root.members.filter { $0.name != "nominees" }
        guard others.isEmpty else {
            throw Problem(
                .validationFailed,
                errors: others.map { .init(field: $0.name, message: "must not be given together with nominees") })
        }
        return try Self.response(try await invite(several, request), isSingle: false, request)
    }

    /// The response with a result for each person; for a single person, it has the nominee's members too.
    private static func response(
        _ results: [Result<[UInt8], Problem>], isSingle: Bool, _ request: HandledRequest
    ) throws(Problem) -> HTTPResponse {
        var members: [(name: String, value: JSONValue)] = []
        if isSingle, case .success(let nominee) = results[0] {
            members = try JSONDocument(answer: nominee).root.members
        }
        var json = JSONWriter()
        json.object { json in
            for member in members { json.field(member.name, json: member.value.text) }
            json.array("items", results) { json, result in
                json.object { json in
                    switch result {
                    case .success(let nominee):
                        json.field("status", request.success.rawValue)
                        json.field("nominee", json: nominee)
                    case .failure(let problem):
                        json.field("status", problem.code.entry.status.rawValue)
                        json.object("problem") { problem.write(into: &$0, requestID: request.http.id) }
                    }
                }
            }
        }
        return Answer.jsonResponse(request.success, json.bytes)
    }

    /// Invites people and returns a result for each, in order: the nominee as JSON, or the problem.
    private func invite(
        _ given: [JSONValue], _ request: HandledRequest
    ) async throws(Problem) -> [Result<[UInt8], Problem>] {
        let caller = try request.identified()
        let vault = request.arguments["id"]
        let begun = try await statements.ask(Self.begin, as: caller, [vault, .instant(request.now)])
        let region = ConnectionInviting.region(of: try JSONDocument(answer: begun ?? []).root)
        let refusals = given.map(Self.refusal)
        var json = JSONWriter()
        let valid = zip(given, refusals).filter { $0.1 == nil }.map(\.0)
        json.array(valid) { json, value in Self.write(value, region, into: &json) }
        var results: [Result<[UInt8], Problem>] = []
        if !valid.isEmpty {
            let answer = try await statements.ask(
                Self.invite, as: caller, [vault, .bytes(json.bytes), .text(publicURL), .instant(request.now)])
            results = try JSONDocument(answer: answer ?? []).root.elements.map(Self.result)
        }
        guard results.count == valid.count else { throw Problem(fault: "api.invite_nominees left somebody out") }
        var next = results.makeIterator()
        return refusals.compactMap { refusal in refusal.map { .failure($0) } ?? next.next() }
    }

    private static func refusal(of value: JSONValue) -> Problem? {
        var errors: [FieldError] = []
        invitee.check(value, at: "", into: &errors)
        return errors.isEmpty ? nil : Problem(.validationFailed, errors: errors)
    }

    /// Writes an invitee in the form that the database takes.
    private static func write(_ value: JSONValue, _ region: PhoneRegion?, into json: inout JSONWriter) {
        json.object { json in
            for name in ["name", "email", "access_level", "channel"] {
                if let text = value[name]?.string { json.field(name, text) }
            }
            if let settings = value["emergency"] { json.field("emergency", json: settings.text) }
            guard let given = value["phone"]?.string else { return }
            do throws(PhoneNumberProblem) {
                json.field("phone", try PhoneNumber(given, region: region).e164)
            } catch {
                json.field("phone_problem", error.rawValue)
            }
        }
    }

    private static func result(_ item: JSONValue) -> Result<[UInt8], Problem> {
        if let nominee = item["nominee"] { return .success(nominee.text) }
        let refusal = PostgresServerError(
            sqlState: SQLState(rawValue: item["sqlstate"]?.string ?? ""), message: item["message"]?.string ?? "",
            detail: item["detail"]?.string, constraint: item["constraint"]?.string)
        var problem = Problem(.server(refusal))
        if let wait = item["retry_after"]?.integer { problem.retryAfter = wait }
        return .failure(problem)
    }
}
