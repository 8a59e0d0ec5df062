internal import Contacts
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Answers the imports, which take one thing on each line and answer one result on each line. A refused line stops no
/// other.
struct LineImport {
    /// The most lines in one request.
    static let maximumLines = 10_000
    /// The most lines with an `Idempotency-Key`, which makes the import one transaction. A longer one would hold its
    /// locks too long.
    static let maximumLinesAtOnce = 1000
    /// The largest body in bytes.
    static let maximumBody = 4 << 20
    /// The longest line in bytes. No line needs as much, and a document of many megabytes takes long to check.
    static let maximumLine = 16 << 10
    /// The number of lines per procedure call: enough that round trips do not matter, and few enough that no lock is
    /// held long.
    private static let batch = 100

    /// The format of an import's lines.
    private struct Kind {
        /// The schema of a line.
        let schema: JSONSchema
        /// The member of a batch's elements that holds the line.
        let member: String
        /// Whether phone numbers may be in the national form of the tenant's region. Otherwise they must have their
        /// country code.
        let readsPhoneNumbers: Bool
        /// Whether the schema puts texts of a line into another form.
        let normalizesTexts: Bool
        /// What one line is, in words.
        let noun: String
        let procedure: String
        let call: ProcedureCall

        init(
            _ procedure: String, _ schema: JSONSchema, member: String, readsPhoneNumbers: Bool = false, noun: String
        ) {
            self.schema = schema
            self.member = member
            self.readsPhoneNumbers = readsPhoneNumbers
            self.noun = noun
            normalizesTexts = schema.hasNormalizedTexts
            self.procedure = procedure
            call = ProcedureCall(procedure, ["jsonb", "timestamptz"], lane: .slow)
        }
    }

    private static let users = Kind("api.import_users", Endpoint.newUser, member: "user", noun: "user")
    private static let items = Kind(
        "api.import_items", .component(.importItem), member: "item", readsPhoneNumbers: true, noun: "item")
    private static let tenant = ProcedureCall("api.get_tenant", [], lane: .reads)

    private let kind: Kind
    private let statements: Statements
    private let caller: Caller
    private let request: HTTPRequest

    /// The result of a line.
    private enum Result {
        case done(id: String, status: Int)
        case problem(Problem)
    }

    /// A line with its number, counted from 1.
    typealias Line = (number: Int, text: ArraySlice<UInt8>)

    /// Answers `POST /v1/users:import`.
    static func answerUsers(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await LineImport(users, request).answer()
    }

    /// Answers `POST /v1/tenant/import`.
    static func answerItems(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await LineImport(items, request).answer()
    }

    private init(_ kind: Kind, _ request: HandledRequest) throws(Problem) {
        self.kind = kind
        statements = request.statements
        caller = try request.identified()
        self.request = request.http
    }

    /// Imports the body's lines, one transaction per batch, and sends each batch's results as they come: an import may
    /// take longer than a client waits for a response to begin, or than a transaction should last. With an
    /// `Idempotency-Key`, all lines are one transaction, so that a repeat finds either all of them imported or none.
    /// That transaction calls the procedure once, because the procedure locks what its lines name in one order, and a
    /// second call would begin that order anew.
    ///
    /// - Throws: ``Problem`` `payload_too_large` for too many lines, or `invalid_request` for none. Other errors are
    ///   results of their lines, unless the import is one transaction.
    private func answer() async throws(Problem) -> HTTPResponse {
        guard let lines = Self.lines(of: request.body) else {
            throw Problem(.payloadTooLarge, "An import takes at most \(Self.maximumLines) lines.")
        }
        guard !lines.isEmpty else {
            throw Problem(.invalidRequest, "An import takes one \(kind.noun) on each line, and the body has no line.")
        }
        let region = try await tenantRegion()
        let headers: HTTPHeaders = ["Content-Type": MediaType.jsonLines.rawValue, "Cache-Control": "no-store"]
        guard statements.transaction != nil else {
            return HTTPResponse(
                .ok, headers: headers,
                body: .stream(length: nil) { body in
                    for start in stride(from: 0, to: lines.count, by: Self.batch) {
                        let batch = lines[start..<min(start + Self.batch, lines.count)]
                        try await body.write(resultsOrRefusals(of: batch, region))
                    }
                })
        }
        guard lines.count <= Self.maximumLinesAtOnce else {
            throw Problem(
                .payloadTooLarge,
                "With an Idempotency-Key an import takes at most \(Self.maximumLinesAtOnce) lines: send several.")
        }
        return HTTPResponse(.ok, headers: headers, body: json(try await run(lines[...], region), of: lines[...]))
    }

    /// The country for phone numbers without a country code.
    private func tenantRegion() async throws(Problem) -> PhoneRegion? {
        guard kind.readsPhoneNumbers else { return nil }
        let settings = try await statements.facts(Self.tenant, as: caller, [])
        return (settings?.root["default_region"]?.string).flatMap { PhoneRegion($0) }
    }

    /// Imports a batch in its own transaction and returns its results, one on each line. Earlier batches stay imported
    /// if it fails.
    private func resultsOrRefusals(of lines: ArraySlice<Line>, _ region: PhoneRegion?) async -> [UInt8] {
        do throws(Problem) {
            return json(try await run(lines, region), of: lines)
        } catch {
            return json(Dictionary(uniqueKeysWithValues: lines.map { ($0.number, .problem(error)) }), of: lines)
        }
    }

    private func json(_ results: [Int: Result], of lines: ArraySlice<Line>) -> [UInt8] {
        var json = JSONWriter()
        for line in lines { write(results[line.number], line.number, into: &json) }
        return json.bytes
    }

    /// The lines that are not blank; nil if there are more than ``maximumLines``, blank ones included. It reads no
    /// further than that: a body of newlines has millions of lines, and nothing else runs on this thread meanwhile. A
    /// byte order mark, which some programs put in front of the first line, is skipped.
    static func lines(of body: [UInt8]) -> [Line]? {
        var lines: [Line] = []
        var start = body.starts(with: JSONDocument.byteOrderMark) ? JSONDocument.byteOrderMark.count : 0
        var number = 0
        while start < body.endIndex {
            number += 1
            guard number <= maximumLines else { return nil }
            let rest = body[start...]
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? body.endIndex
            let line = rest[..<end]
            if !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }) {
                lines.append((number: number, text: line))
            }
            start = end < body.endIndex ? body.index(after: end) : end
        }
        return lines
    }

    private func run(_ lines: ArraySlice<Line>, _ region: PhoneRegion?) async throws(Problem) -> [Int: Result] {
        var results: [Int: Result] = [:]
        var items = [UInt8(ascii: "[")]
        for line in lines {
            let text: [UInt8]
            do throws(Problem) {
                text = try checked(line, region)
            } catch {
                results[line.number] = .problem(error)
                continue
            }
            if items.count > 1 { items.append(UInt8(ascii: ",")) }
            items += "{\"line\":\(line.number),\"\(kind.member)\":".utf8
            items += text
            items.append(UInt8(ascii: "}"))
        }
        guard items.count > 1 else { return results }
        items.append(UInt8(ascii: "]"))
        let values: [PostgresValue] = [.bytes(items), .instant(request.receivedAt)]
        Self.read(try await statements.run(kind.call, as: caller, values), into: &results)
        return results
    }

    /// The line as the database takes it.
    ///
    /// - Throws: ``Problem`` `payload_too_large`, `invalid_request`, or `validation_failed` with every invalid field.
    private func checked(_ line: Line, _ region: PhoneRegion?) throws(Problem) -> [UInt8] {
        guard line.text.count <= Self.maximumLine else {
            throw Problem(.payloadTooLarge, "Line \(line.number) is longer than \(Self.maximumLine) bytes.")
        }
        let text = Array(line.text)
        let document: JSONDocument
        do throws(InvalidJSON) {
            document = try JSONDocument(text, maximumValues: Endpoint.maximumValues(of: kind.schema))
        } catch {
            throw Problem(error, line: line.number)
        }
        var errors: [FieldError] = []
        kind.schema.check(document.root, at: "", into: &errors)
        guard errors.isEmpty else { throw Problem(.validationFailed, errors: errors) }
        guard kind.readsPhoneNumbers, let given = document.root["phone"]?.string else {
            return kind.normalizesTexts ? kind.schema.normalized(document.root) : text
        }
        let number: PhoneNumber
        do throws(PhoneNumberProblem) {
            number = try PhoneNumber(given, region: region)
        } catch {
            throw .invalid("phone", error.objection)
        }
        var json = JSONWriter()
        json.object { json in
            for member in document.root.members where member.name != "phone" {
                json.field(member.name, json: member.value.text)
            }
            json.field("phone", number.e164)
        }
        return json.bytes
    }

    /// Reads the results of a batch.
    private static func read(_ json: [UInt8]?, into results: inout [Int: Result]) {
        for item in json.flatMap({ try? JSONDocument($0).root.elements }) ?? [] {
            guard let line = item["line"]?.integer else { continue }
            if let id = item["id"]?.string, let status = item["status"]?.integer {
                results[line] = .done(id: id, status: status)
            } else {
                let refusal = PostgresServerError(
                    sqlState: SQLState(rawValue: item["sqlstate"]?.string ?? ""),
                    message: item["message"]?.string ?? "",
                    detail: item["detail"]?.string, constraint: item["constraint"]?.string)
                results[line] = .problem(Problem(.server(refusal)))
            }
        }
    }

    private func write(_ result: Result?, _ line: Int, into json: inout JSONWriter) {
        json.object { json in
            json.field("line", line)
            switch result ?? .problem(Problem(fault: "\(kind.procedure) left out a line")) {
            case .done(let id, let status):
                json.field("status", status)
                json.field("id", id)
            case .problem(let problem):
                json.field("status", problem.code.entry.status.rawValue)
                json.object("problem") { problem.write(into: &$0, requestID: request.id) }
            }
        }
        json.endLine()
    }
}
