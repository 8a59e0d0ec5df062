internal import HTTP
internal import Postgres

/// Answers `POST /v1/users:import`: a user a line, and a result a line. A line that is refused does not stop the others.
struct UserImport {
    /// How many users one request may bring.
    static let maximumLines = 10_000
    /// How many with an `Idempotency-Key`, which makes it one transaction: a longer one would hold its locks too long.
    static let maximumLinesAtOnce = 1000
    /// The longest body, in bytes.
    static let maximumBody = 4 << 20
    /// How many lines one procedure call takes: enough that the round trip does not count, few enough that no lock is held long.
    private static let batch = 100

    let statements: Statements
    let caller: Caller
    let request: HTTPRequest
    /// Whose lines they are to be read as.
    let schema: JSONSchema

    private static let call = PreparedRoute.Call("api.import_users", ["jsonb", "timestamptz"], lane: .slow)

    /// What became of a line.
    private enum Result {
        case user(id: String, status: Int)
        case problem(Problem)
    }

    /// Imports the lines of the body, a transaction for each batch, whose results go out as they come: thousands of lines may take
    /// longer than anybody waits for an answer to begin, or for a transaction to end. With an `Idempotency-Key` all of them are one
    /// transaction, which its repeats find done or not begun.
    ///
    /// - Throws: ``Problem``: `payload_too_large` for too many lines, `invalid_request` for none; whatever else goes wrong is the
    ///   lines', unless they are one transaction.
    func answer() async throws(Problem) -> HTTPResponse {
        let lines = Self.lines(of: request.body)
        guard lines.count <= Self.maximumLines else {
            throw Problem(.payloadTooLarge, "An import takes at most \(Self.maximumLines) lines.")
        }
        guard !lines.isEmpty else {
            throw Problem(.invalidRequest, "An import takes one user a line; there is no line.")
        }
        let batches = stride(from: 0, to: lines.count, by: Self.batch).map {
            lines[$0..<min($0 + Self.batch, lines.count)]
        }
        let headers: HTTPHeaders = ["Content-Type": MediaType.jsonLines.rawValue, "Cache-Control": "no-store"]
        guard statements.transaction != nil else {
            return HTTPResponse(
                .ok, headers: headers,
                body: .stream(length: nil) { body in
                    for batch in batches { try await body.write(resultsOrRefusals(of: batch)) }
                })
        }
        guard lines.count <= Self.maximumLinesAtOnce else {
            throw Problem(
                .payloadTooLarge,
                "With an Idempotency-Key an import takes at most \(Self.maximumLinesAtOnce) lines: send several.")
        }
        var results: [UInt8] = []
        for batch in batches { results += json(try await run(batch), of: batch) }
        return HTTPResponse(.ok, headers: headers, body: results)
    }

    /// Imports some lines, a transaction of its own: what the batches before have done is done. Their results, a line each.
    private func resultsOrRefusals(of lines: ArraySlice<Line>) async -> [UInt8] {
        do throws(Problem) {
            return json(try await run(lines), of: lines)
        } catch {
            return json(Dictionary(uniqueKeysWithValues: lines.map { ($0.number, .problem(error)) }), of: lines)
        }
    }

    private func json(_ results: [Int: Result], of lines: ArraySlice<Line>) -> [UInt8] {
        var json = JSONWriter()
        for line in lines { write(results[line.number], line.number, into: &json) }
        return json.bytes
    }

    /// A line with its number, from 1.
    typealias Line = (number: Int, text: ArraySlice<UInt8>)

    /// The lines that are not blank, with their numbers from 1.
    static func lines(of body: [UInt8]) -> [Line] {
        body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }
                ? nil : (index + 1, line)
        }
    }

    private func run(_ lines: ArraySlice<Line>) async throws(Problem) -> [Int: Result] {
        var results: [Int: Result] = [:]
        var users = [UInt8(ascii: "[")]
        for line in lines {
            if let problem = refusal(of: line.text) {
                results[line.number] = .problem(problem)
                continue
            }
            if users.count > 1 { users.append(UInt8(ascii: ",")) }
            users += "{\"line\":\(line.number),\"user\":".utf8
            users += line.text
            users.append(UInt8(ascii: "}"))
        }
        guard users.count > 1 else { return results }
        users.append(UInt8(ascii: "]"))
        let values = PreparedRoute.Call.context(of: caller) + [.bytes(users), .instant(request.receivedAt)]
        Self.read(try await statements.run(Self.call, values), into: &results)
        return results
    }

    private func refusal(of line: ArraySlice<UInt8>) -> Problem? {
        do throws(Problem) {
            let document = try JSONDocument(Array(line), maximumValues: Endpoint.maximumValues(of: Endpoint.newUser))
            var errors: [Problem.FieldError] = []
            schema.check(document.root, at: "", into: &errors)
            return errors.isEmpty ? nil : Problem(.validationFailed, errors: errors)
        } catch {
            return error
        }
    }

    /// Reads what `api.import_users` answered.
    private static func read(_ json: [UInt8]?, into results: inout [Int: Result]) {
        for item in json.flatMap({ try? JSONDocument($0).root.elements }) ?? [] {
            guard let line = item["line"]?.integer else { continue }
            if let id = item["id"]?.string, let status = item["status"]?.integer {
                results[line] = .user(id: id, status: status)
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
            switch result ?? .problem(Problem(fault: "api.import_users left out a line")) {
            case .user(let id, let status):
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
