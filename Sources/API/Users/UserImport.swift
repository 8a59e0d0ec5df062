internal import HTTP
internal import Postgres

/// Answers `POST /v1/users:import`, which takes one user on each line and answers one result on each line. A refused line stops no other.
struct UserImport {
    /// The most users in one request.
    static let maximumLines = 10_000
    /// The most users with an `Idempotency-Key`, which makes the import one transaction. A longer one would hold its locks too long.
    static let maximumLinesAtOnce = 1000
    /// The largest body in bytes.
    static let maximumBody = 4 << 20
    /// The number of lines per procedure call: enough that round trips do not matter, and few enough that no lock is held long.
    private static let batch = 100

    let statements: Statements
    let caller: Caller
    let request: HTTPRequest
    /// The schema of a line.
    let schema: JSONSchema

    private static let call = PreparedRoute.Call("api.import_users", ["jsonb", "timestamptz"], lane: .slow)

    /// The result of a line.
    private enum Result {
        case user(id: String, status: Int)
        case problem(Problem)
    }

    /// Imports the body's lines, one transaction per batch, and sends each batch's results as they come: an import may take longer than a
    /// client waits for a response to begin, or than a transaction should last. With an `Idempotency-Key`, all lines are one transaction,
    /// so that a repeat finds either all of them imported or none.
    ///
    /// - Throws: ``Problem`` `payload_too_large` for too many lines, or `invalid_request` for none. Other errors are results of their
    ///   lines, unless the import is one transaction.
    func answer() async throws(Problem) -> HTTPResponse {
        let lines = Self.lines(of: request.body)
        guard lines.count <= Self.maximumLines else {
            throw Problem(.payloadTooLarge, "An import takes at most \(Self.maximumLines) lines.")
        }
        guard !lines.isEmpty else {
            throw Problem(.invalidRequest, "An import takes one user on each line, and the body has no line.")
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

    /// Imports a batch in its own transaction and returns its results, one on each line. Earlier batches stay imported if it fails.
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

    /// A line with its number, counted from 1.
    typealias Line = (number: Int, text: ArraySlice<UInt8>)

    /// The lines that are not blank.
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

    /// Reads the result of `api.import_users`.
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
