internal import Crypto
internal import EventLoop
internal import HTTP
internal import JSON
internal import Logging
internal import Postgres
internal import Problems
internal import Requests

/// Answers `GET …/documents/{doc}/content`: sends the whole content or a range of it, opening its chunks while the
/// client reads.
///
/// Each chunk is read by its own call, which checks access at that time. When access ends, the download is cut off. One
/// chunk is read ahead while the previous one is sent.
struct DocumentDownload: Sendable {
    private let statements: Statements
    private let caller: Caller
    private let masterKey: MasterKey
    private let http: HTTPRequest
    private let arguments: Arguments
    /// The download's slot, held until the content is sent or the client stops reading.
    private let place: InFlightLimit.Place

    private static let open = ProcedureCall("api.open_content", ["uuid", "uuid", "timestamptz"], lane: .writes)
    private static let readChunk = ProcedureCall(
        "api.read_chunk", ["uuid", "uuid", "uuid", "integer", "boolean", "timestamptz"], lane: .bulk,
        hasBinaryResults: true)
    private static let reportDamage = ProcedureCall(
        "api.report_damage", ["uuid", "uuid", "integer", "boolean", "timestamptz"], lane: .writes)

    /// Answers `GET /v1/vaults/{id}/documents/{doc}/content`.
    static func answer(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        return try await DocumentDownload(
            request: request, caller: caller, masterKey: services.masterKey,
            place: try services.shared.downloads.enter(caller)
        ).answer()
    }

    private init(request: HandledRequest, caller: Caller, masterKey: MasterKey, place: InFlightLimit.Place) {
        statements = request.statements.independent
        http = request.http
        arguments = request.arguments
        self.caller = caller
        self.masterKey = masterKey
        self.place = place
    }

    /// The content to send.
    private struct Content {
        let version: DocumentVersion
        let size: Int
        let chunkSize: Int
        let chunks: Int

        /// The length of the chunk at `position`, in bytes.
        func length(of position: Int) -> Int {
            position < chunks - 1 ? chunkSize : size - position * chunkSize
        }
    }

    /// The content, the requested part of it, or 304 if the client has it already.
    ///
    /// - Throws: ``Problem``, before any byte is sent, if the caller may not read the document or if the first chunk
    ///   does not open.
    func answer() async throws(Problem) -> HTTPResponse {
        let json = try await statements.run(Self.open, as: caller, arguments.values)
        guard let facts = try json.map({ json throws(Problem) in try JSONDocument(answer: json) }),
            let name = facts.root["name"]?.string, let type = facts.root["content_type"]?.string,
            let size = facts.root["size"]?.integer, let chunkSize = facts.root["chunk_size"]?.integer,
            let chunks = facts.root["chunks"]?.integer, let key = facts.root["key"]?.string
        else { throw Problem(fault: "api.open_content gave no content") }
        let version = try DocumentVersion(facts, key: key, of: caller, with: masterKey)
        let content = Content(version: version, size: size, chunkSize: chunkSize, chunks: chunks)
        if let tags = EntityTags(http.headers.list("If-Match")), !tags.match(version.id, weakly: false) {
            throw Problem(.preconditionFailed)
        }
        if let tags = EntityTags(http.headers.list("If-None-Match")), tags.match(version.id, weakly: true) {
            return HTTPResponse(
                .notModified, headers: ["ETag": "\"\(version.id)\"", "Cache-Control": "private, no-store"])
        }
        var headers: HTTPHeaders = [
            "Content-Type": ContentType.sent(type), "ETag": "\"\(version.id)\"", "Accept-Ranges": "bytes",
            "Cache-Control": "private, no-store", "Content-Disposition": Attachment.disposition(name),
            // An uploaded file must never act as a page of this host.
            "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
        ]
        guard http.method != .head else {
            return HTTPResponse(.ok, headers: headers, body: .stream(length: size) { _ in })
        }
        var status = HTTPStatus.ok
        var part = 0..<size
        switch range(of: size, version) {
        case .whole: break
        case .part(let range):
            status = .partialContent
            part = range
            headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
        case .unsatisfiable:
            var problem = Problem(.rangeNotSatisfiable, "The content has \(size) bytes.")
            problem.contentRange = "bytes */\(size)"
            throw problem
        }
        let first = try await chunk(part.lowerBound / chunkSize, of: content, begins: true)
        return HTTPResponse(
            status, headers: headers,
            body: .stream(length: part.count) { [part] body in
                do {
                    try await write(part, of: content, from: first, to: body)
                } catch let problem as Problem {
                    Log.error(
                        "a download was cut off",
                        [
                            "request_id": http.id, "document": version.document,
                            "reason": problem.fault ?? problem.code.rawValue,
                        ])
                    throw problem
                }
            })
    }

    /// The requested range, or the whole content if the `If-Range` condition fails.
    private func range(of size: Int, _ version: DocumentVersion) -> ByteRange {
        // A date in If-Range never matches: versions have no modification date, only tags.
        if let condition = http.header("If-Range"), condition != "\"\(version.id)\"" { return .whole }
        return ByteRange(http.header("Range"), of: size)
    }

    private func write(
        _ part: Range<Int>, of content: Content, from first: [UInt8], to body: HTTPBodyWriter
    ) async throws {
        defer { place.leave() }
        guard !part.isEmpty else { return }
        let last = (part.upperBound - 1) / content.chunkSize
        var chunk = first
        for position in (part.lowerBound / content.chunkSize)...last {
            let start = position * content.chunkSize
            let wanted = part.clamped(to: start..<(start + chunk.count))
            let piece =
                wanted.count == chunk.count
                ? chunk : Array(chunk[(wanted.lowerBound - start)..<(wanted.upperBound - start)])
            guard position < last else { return try await body.write(piece) }
            async let next = self.chunk(position + 1, of: content, begins: false)
            try await body.write(piece)
            chunk = try await next
        }
    }

    /// Reads the chunk at `position` and opens it.
    private func chunk(_ position: Int, of content: Content, begins: Bool) async throws(Problem) -> [UInt8] {
        let version = content.version
        let sealed: [UInt8]?
        do throws(PostgresError) {
            sealed = try await statements.pool.query(
                Self.readChunk.statement,
                ProcedureCall.context(of: caller, in: http.id) + [
                    .text(version.vault), .text(version.document), .text(version.id), .int(position), .bool(begins),
                    .instant(statements.pool.loop.clock.now),
                ], lane: Self.readChunk.lane, client: statements.client
            ).bytes(0, 0)
        } catch {
            throw Problem(error)
        }
        let place = version.place(position, isLast: position == content.chunks - 1)
        if let sealed, let chunk = try? version.key.open(sealed, for: place),
            chunk.count == content.length(of: position)
        {
            return chunk
        }
        _ = try? await statements.ask(
            Self.reportDamage, as: caller,
            [
                .text(version.document), .text(version.id), .int(position), .bool(sealed == nil),
                .instant(statements.pool.loop.clock.now),
            ])
        throw Problem(
            fault: "chunk \(position) of version \(version.id) of document \(version.document) "
                + (sealed == nil ? "is missing" : "was changed"))
    }
}
