internal import Crypto
internal import HTTP
internal import JSON
internal import Logging
internal import Postgres
internal import Problems
internal import Requests

/// Answers `GET /v1/me/export` with everything about a user as one JSON document. Each page is its own procedure call
/// and is written while the client reads, so the whole document is never in memory, and a slow client holds no database
/// connection.
struct UserExport {
    private let pool: PostgresPool
    private let caller: Caller
    /// The id of the request.
    private let request: String
    /// The time of the request, in microseconds since 1970.
    private let now: Int64
    /// The export's slot, held until the document is written or the client stops reading.
    private let place: InFlightLimit.Place
    private let masterKey: MasterKey

    /// A page: a value, or part of an array that the section's next page continues.
    private struct Page {
        let section: String
        let value: ArraySlice<UInt8>
        /// The position of the next page; nil after the last.
        let next: String?
    }

    /// Each page asks anew whether the account is there. Once it has ended, the pages would be empty, and the export
    /// would look complete.
    private static let call = ProcedureCall("api.export_me", ["text", "timestamptz"], lane: .slow)

    /// Answers `GET /v1/me/export`.
    static func answer(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        let export = UserExport(
            pool: services.pool, caller: caller, request: request.http.id, now: request.now,
            place: try services.shared.exports.enter(caller), masterKey: services.masterKey)
        return try await export.answer()
    }

    /// The response. The first page is read before it begins, so that a caller who no longer exists gets a refusal.
    private func answer() async throws(Problem) -> HTTPResponse {
        let first = try await page(after: nil)
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": MediaType.json.rawValue, "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"kith-export.json\"", "X-Content-Type-Options": "nosniff",
            ],
            body: .stream(length: nil) { body in
                do {
                    try await write(from: first, to: body)
                } catch let problem as Problem {
                    Log.error(
                        "an export was cut off",
                        ["request_id": request, "reason": problem.fault ?? problem.code.rawValue])
                    throw problem
                }
            })
    }

    private func write(from first: Page, to body: HTTPBodyWriter) async throws {
        var page = first
        var text = Array("{".utf8)
        while true {
            text += "\"\(page.section)\":".utf8
            if page.value.first == UInt8(ascii: "[") {
                text.append(UInt8(ascii: "["))
                text += page.value.dropFirst().dropLast()
                // The pages of one section form one array.
                while let next = page.next, next.hasPrefix(page.section + " ") {
                    try await body.write(text)
                    page = try await self.page(after: next)
                    let elements = page.value.dropFirst().dropLast()
                    text = elements.isEmpty ? [] : [UInt8(ascii: ",")] + elements
                }
                text.append(UInt8(ascii: "]"))
            } else {
                text += page.value
            }
            guard let next = page.next else { break }
            text.append(UInt8(ascii: ","))
            try await body.write(text)
            page = try await self.page(after: next)
            text = []
        }
        // Only the server can open it.
        let statements = Statements(
            pool: pool, client: caller.tenantID, request: request, transaction: nil)
        let card = try await CareCards.json(of: caller, statements, masterKey, at: now)
        place.leave()
        try await body.write(text + Array(",\"care_card\":".utf8) + card + Array("}".utf8))
    }

    private func page(after position: String?) async throws(Problem) -> Page {
        let result: PostgresResult
        do throws(PostgresError) {
            result = try await pool.query(
                Self.call.statement,
                ProcedureCall.context(of: caller, in: request) + [
                    position.map(PostgresValue.text) ?? .null, .instant(now),
                ],
                lane: Self.call.lane, client: caller.tenantID)
        } catch {
            throw Problem(error)
        }
        guard let json = result.bytes(0, 0), let value = Answer.lastMember("value", of: json),
            let head = json[..<value.startIndex].lastIndex(of: UInt8(ascii: ",")),
            let root = try? JSONDocument(json[..<head] + [UInt8(ascii: "}")]).root,
            let section = root["section"]?.string
        else { throw Problem(fault: "api.export_me gave no page") }
        return Page(section: section, value: value, next: root["next"]?.string)
    }
}
