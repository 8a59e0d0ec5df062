internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Answers `GET /v1/vaults/{id}/history`: one page as JSON, or every page as a table that is written while the client
/// reads.
struct VaultHistory {
    private let statements: Statements
    private let caller: Caller
    private let arguments: Arguments
    private let now: Int64
    private let isTable: Bool

    private static let call = ProcedureCall(
        "api.list_vault_history", ["uuid", "text[]", "timestamptz", "timestamptz", "integer", "uuid", "timestamptz"],
        lane: .slow, checksCaller: false)
    /// The columns of the table. Names of people and things are the current ones.
    private static let columns = [
        "at", "actor_id", "actor", "action", "subject_type", "subject_id", "subject", "detail",
    ]
    /// The most items on a page.
    private static let pageSize = 200

    /// Answers `GET /v1/vaults/{id}/history`.
    static func answer(_ request: HandledRequest, _: Services) async throws(Problem) -> HTTPResponse {
        try await VaultHistory(request).answer()
    }

    private init(_ request: HandledRequest) throws(Problem) {
        statements = request.statements.independent
        caller = try request.identified()
        arguments = request.arguments
        now = request.now
        isTable = !AcceptHeader(request.http.headers.list("Accept")).allows(.json)
    }

    private func answer() async throws(Problem) -> HTTPResponse {
        guard isTable else {
            return try Answer.response(try await ask(arguments["limit"], arguments["cursor"]), success: .ok)
        }
        // Reads the first page before the response begins, so that a caller who may not read gets a refusal.
        let first = try await page(after: nil)
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": "\(MediaType.csv.rawValue); charset=utf-8; header=present", "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"history.csv\"", "X-Content-Type-Options": "nosniff",
            ],
            body: .stream(length: nil) { body in
                var page = first
                try await body.write(Array(Self.line(Self.columns).utf8))
                while true {
                    try await body.write(Array(page.lines.utf8))
                    guard let next = page.next else { break }
                    page = try await self.page(after: next)
                }
            })
    }

    /// Some lines of the table, and the cursor of the next page.
    private struct Page {
        let lines: String
        let next: String?
    }

    private func page(after cursor: String?) async throws(Problem) -> Page {
        guard let json = try await ask(.int(Self.pageSize), cursor.map(PostgresValue.text) ?? .null) else {
            throw Problem(fault: "api.list_vault_history gave no page")
        }
        let root = try JSONDocument(answer: json).root
        return Page(
            lines: (root["items"]?.elements ?? []).map { Self.line(Self.cells(of: $0)) }.joined(),
            next: root["next_cursor"]?.string)
    }

    private func ask(_ limit: PostgresValue, _ cursor: PostgresValue) async throws(Problem) -> [UInt8]? {
        try await statements.run(
            Self.call, as: caller,
            [
                arguments["id"], arguments["action"], arguments["from"], arguments["until"], limit, cursor,
                .instant(now),
            ])
    }

    private static func cells(of item: JSONValue) -> [String] {
        let (actor, subject) = (item["actor"], item["subject"])
        return [
            item["at"]?.string, actor?["id"]?.string, actor?["display_name"]?.string, item["action"]?.string,
            subject?["type"]?.string, subject?["id"]?.string, subject?["name"]?.string,
            item["detail"].map { String(decoding: $0.text, as: UTF8.self) },
        ].map { $0 ?? "" }
    }

    /// The characters at which a spreadsheet begins a formula, including their full-width forms.
    private static let formulaSigns: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]

    /// A line of a table (RFC 4180). An apostrophe precedes anything that a spreadsheet would take for a formula, since
    /// names are other people's input.
    ///
    /// It goes by Unicode scalars: to Swift, a quotation mark with a combining accent is another character, but it
    /// still ends the cell.
    static func line(_ cells: [String]) -> String {
        cells.map { cell in
            var scalars = String.UnicodeScalarView()
            // A cell's content begins at its first visible character. Where semicolons separate cells, one can also
            // begin after a semicolon.
            var begins = true
            for scalar in cell.unicodeScalars {
                if begins, formulaSigns.contains(scalar) { scalars.append("'") }
                begins = scalar == ";" || scalar == "；" || begins && scalar.properties.isWhitespace
                if scalar == "\"" { scalars.append(scalar) }
                scalars.append(scalar)
            }
            return "\"" + String(scalars) + "\""
        }.joined(separator: ",") + "\r\n"
    }
}
