internal import EventLoop
internal import HTTP
internal import PhoneNumbers
internal import Postgres

/// Reads the phone numbers of an invitation, which is a protocol's business, and hands them to the database, which knows the rest.
struct ConnectionInviting {
    /// How many numbers are read before others get their turn on the loop: about a millisecond's worth.
    private static let batch = 50

    let statements: Statements
    /// Where clients reach the server, for tenants without a join link of their own.
    let publicURL: String

    /// Answers `POST /v1/connection-invitations`.
    func answer(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let root = request.body?.root, let given = root["recipients"]?.elements else {
            throw Problem(fault: "a checked body without recipients")
        }
        let caller = try request.identified()
        let send = PostgresValue.bool(root["send"]?.boolean ?? false)
        let begun = try await statements.ask(
            Self.begin, as: caller, [.int(given.count), send, .instant(request.now)])
        let region = Self.region(of: try JSONDocument(begun ?? []).root)
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

    /// The country in whose form the inviter writes numbers: that of their own phone, else of their locale, else the tenant's.
    static func region(of origin: JSONValue) -> PhoneRegion? {
        if let phone = origin["phone"]?.string, let region = (try? PhoneNumber(phone))?.region { return region }
        if let locale = origin["locale"]?.string, let region = PhoneRegion(languageTag: locale) { return region }
        return origin["default_region"]?.string.flatMap { PhoneRegion($0) }
    }

    /// One of those who are invited, as the database takes them.
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

    private static let begin = PreparedRoute.Call(
        "api.begin_connection_invitation", ["integer", "boolean", "timestamptz"], lane: .reads)
    private static let create = PreparedRoute.Call(
        "api.create_connection_invitation", ["jsonb", "boolean", "text", "timestamptz"], lane: .writes)
}
