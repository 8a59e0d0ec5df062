internal import Contacts
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Creates connection invitations. The server parses the phone numbers, and the database does everything else.
struct ConnectionInviting {
    /// How many numbers to parse before other work on the loop gets a turn. A batch takes about a millisecond.
    private static let batch = 50

    private let statements: Statements
    /// The server's public URL, for tenants without their own join link.
    private let publicURL: String

    /// Answers `POST /v1/connection-invitations`.
    static func answer(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await ConnectionInviting(statements: request.statements, publicURL: services.publicURL).answer(request)
    }

    private func answer(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let root = request.body?.root, let given = root["recipients"]?.elements else {
            throw Problem(fault: "a checked body without recipients")
        }
        let caller = try request.identified()
        let send = PostgresValue.bool(root["send"]?.boolean ?? false)
        let begun = try await statements.ask(
            Self.begin, as: caller, [.int(given.count), send, .instant(request.now)])
        let region = Self.region(of: try JSONDocument(answer: begun ?? []).root)
        var recipients: [Recipient] = []
        for value in given {
            recipients.append(Recipient(value, region: region))
            if recipients.count.isMultiple(of: Self.batch) { try? await statements.pool.loop.sleep(for: .zero) }
        }
        var json = JSONWriter()
        json.array(recipients) { json, recipient in recipient.write(into: &json) }
        let answer = try await statements.ask(
            Self.create, as: caller, [.bytes(json.bytes), send, .text(publicURL), .instant(request.now)])
        return try Answer.response(answer, success: request.success)
    }

    /// The region in whose format the inviter writes numbers: that of their phone number, else of their locale, else
    /// the tenant's default.
    static func region(of origin: JSONValue) -> PhoneRegion? {
        if let phone = origin["phone"]?.string, let region = (try? PhoneNumber(phone))?.region { return region }
        if let locale = origin["locale"]?.string, let region = PhoneRegion(languageTag: locale) { return region }
        return origin["default_region"]?.string.flatMap { PhoneRegion($0) }
    }

    /// A recipient, in the form that the database takes.
    private struct Recipient {
        let name: String?
        let givenPhone: String
        let phone: Result<PhoneNumber, PhoneNumberProblem>

        init(_ value: JSONValue, region: PhoneRegion?) {
            let given = value["phone"]?.string ?? ""
            name = value["name"]?.string
            givenPhone = given
            phone = Result { () throws(PhoneNumberProblem) in try PhoneNumber(given, region: region) }
        }

        func write(into json: inout JSONWriter) {
            json.object { json in
                if let name { json.field("name", name) }
                json.field("given_phone", givenPhone)
                switch phone {
                case .success(let number): json.field("phone", number.e164)
                case .failure(let problem): json.field("problem", problem.rawValue)
                }
            }
        }
    }

    private static let begin = ProcedureCall(
        "api.begin_connection_invitation", ["integer", "boolean", "timestamptz"], lane: .reads)
    private static let create = ProcedureCall(
        "api.create_connection_invitation", ["jsonb", "boolean", "text", "timestamptz"], lane: .writes)
}
