internal import EventLoop
internal import HTTP
internal import PhoneNumbers
internal import Postgres

/// Invites nominees. The server validates each of them and parses their phone numbers; the database does everything else. An invalid one
/// stops no other.
struct NomineeInviting {
    let statements: Statements
    let publicURL: String

    private static let begin = PreparedRoute.Call("api.begin_nominees", ["uuid", "timestamptz"], lane: .reads)
    private static let invite = PreparedRoute.Call(
        "api.invite_nominees", ["uuid", "jsonb", "text", "timestamptz"], lane: .writes)
    /// The schema of one of several invitees. The endpoint has validated a single one, except for missing members.
    private static let invitee = JSONComponent.invitee.schema

    /// Answers `POST /v1/vaults/{id}/nominees`.
    func answer(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let root = request.body?.root else { throw Problem(fault: "a checked body that is not there") }
        guard let several = root["nominees"]?.elements else {
            switch try await invite([root], request)[0] {
            case .success(let nominee): return Answer.jsonResponse(request.success, nominee)
            case .failure(let problem): throw problem
            }
        }
        let others = root.members.filter { $0.name != "nominees" }
        guard others.isEmpty else {
            throw Problem(
                .validationFailed,
                errors: others.map { .init(field: $0.name, message: "must not be given together with nominees") })
        }
        let results = try await invite(several, request)
        var json = JSONWriter()
        json.object { json in
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
        // The vault is the first value after the context.
        let vault = request.values[PreparedRoute.Call.contextSize]
        let begun = try await statements.ask(Self.begin, as: caller, [vault, .instant(request.now)])
        let region = ConnectionInviting.region(of: try JSONDocument(begun ?? []).root)
        let refusals = given.map(Self.refusal)
        var json = JSONWriter()
        let valid = zip(given, refusals).filter { $0.1 == nil }.map(\.0)
        json.array(valid) { json, value in Self.write(value, region, into: &json) }
        var results: [Result<[UInt8], Problem>] = []
        if !valid.isEmpty {
            let answer = try await statements.ask(
                Self.invite, as: caller, [vault, .bytes(json.bytes), .text(publicURL), .instant(request.now)])
            results = try JSONDocument(answer ?? []).root.elements.map(Self.result)
        }
        guard results.count == valid.count else { throw Problem(fault: "api.invite_nominees left somebody out") }
        var next = results.makeIterator()
        return refusals.compactMap { refusal in refusal.map { .failure($0) } ?? next.next() }
    }

    private static func refusal(of value: JSONValue) -> Problem? {
        var errors: [Problem.FieldError] = []
        invitee.check(value, at: "", into: &errors)
        return errors.isEmpty ? nil : Problem(.validationFailed, errors: errors)
    }

    /// Writes an invitee in the form that the database takes.
    private static func write(_ value: JSONValue, _ region: PhoneRegion?, into json: inout JSONWriter) {
        json.object { json in
            for name in ["name", "email", "access_level", "channel"] {
                if let text = value[name]?.string { json.field(name, text) }
            }
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
