internal import Crypto
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Answers `POST …/documents` and `PUT …/documents/{doc}`: stores the content chunk by chunk while the client sends it,
/// in a version that nobody can see, and makes the version visible when it is complete.
///
/// Each chunk's call checks access at that time. An unfinished upload is deleted at once, or by the worker if this
/// server could not do it.
struct DocumentUpload {
    /// Returns the next bytes of a content; nil at its end.
    typealias Content = () async throws(Problem) -> [UInt8]?

    private let request: HandledRequest
    private let caller: Caller
    private let masterKey: MasterKey
    private let idempotency: Idempotency
    /// The upload's slot, held until the upload is over.
    private let place: InFlightLimit.Place
    private let next: Content

    private static let begin = ProcedureCall(
        "api.begin_upload", ["uuid", "uuid", "bigint", "integer", "uuid[]", "uuid[]", "timestamptz"], lane: .writes)
    private static let addKey = ProcedureCall(
        "api.add_vault_key", ["uuid", "bytea", "timestamptz"], lane: .writes)
    private static let putChunk = ProcedureCall(
        "api.put_chunk", ["uuid", "uuid", "integer", "bytea", "timestamptz"], lane: .bulk)
    private static let finish = ProcedureCall(
        "api.finish_upload",
        ["uuid", "uuid", "text", "text", "bigint", "integer", "bytea", "uuid[]", "uuid[]", "timestamptz"], lane: .writes
    )
    private static let abandon = ProcedureCall("api.abandon_upload", ["uuid"], lane: .writes)

    /// Facts about a complete content.
    private struct Facts {
        var size = 0
        var chunks = 0
        var digest: [UInt8] = []
    }

    /// Answers `POST /v1/vaults/{id}/documents`.
    static func create(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await DocumentUpload(request, services, reading: body(of: request)).answer(replacing: nil)
    }

    /// Answers `PUT /v1/vaults/{id}/documents/{doc}`.
    static func replace(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await DocumentUpload(request, services, reading: body(of: request)).answer(
            replacing: request.arguments.text("doc"))
    }

    /// Prepares an upload whose content `next` gives piece by piece.
    ///
    /// - Throws: ``Problem`` `too_many_requests` if the caller has too many uploads under way.
    init(_ request: HandledRequest, _ services: Services, reading next: @escaping Content) throws(Problem) {
        self.request = request
        self.next = next
        caller = try request.identified()
        masterKey = services.masterKey
        idempotency = services.idempotency
        place = try services.shared.uploads.enter(caller)
    }

    /// Creates a document, or replaces the content of one.
    ///
    /// - Throws: ``Problem``. Nothing of the upload remains then.
    func answer(replacing document: String?) async throws(Problem) -> HTTPResponse {
        defer { place.leave() }
        guard let vault = request.arguments.text("id") else { throw Problem(fault: "an upload without a vault") }
        // Fails before the content is sent: an invalid key or media type would be refused at the end anyway.
        if document == nil { _ = try IdempotencyKey(of: request.http) }
        let type = try ContentType.of(request.http)
        // A document that does not exist yet has no version that could match.
        if document == nil, request.http.header("If-Match") != nil { throw Problem(.preconditionFailed) }
        let conditions: [PostgresValue] = [.expectedVersions(of: request.http), .unexpectedVersions(of: request.http)]
        let version = try await begin(vault, replacing: document, conditions)
        do throws(Problem) {
            let content = try await receive(into: version)
            let values: [PostgresValue] =
                [
                    .text(vault), .text(version.id), request.arguments["name"], .text(type), .int(content.size),
                    .int(content.chunks), .bytea(content.digest),
                ] + conditions
            guard document == nil,
                let key = try IdempotencyKey(of: request.http, with: Array(type.utf8) + content.digest)
            else { return try await finish(values, request.statements) }
            var isMine = false
            let response = try await idempotency.once(
                key, request.http, by: caller, right: RepeatRight.vault(.edit).name(for: nil), holdsSecret: false
            ) { transaction throws(Problem) in
                isMine = true
                return try await finish(values, request.statements.within(transaction))
            }
            // Another upload of the same bytes has already done this.
            if !isMine { await abandon(version) }
            return response
        } catch {
            await abandon(version)
            throw error
        }
    }

    private func begin(
        _ vault: String, replacing document: String?, _ conditions: [PostgresValue]
    ) async throws(Problem) -> DocumentVersion {
        let declared = request.http.header("Content-Length").flatMap { Int($0) }
        let facts = try await request.statements.facts(
            Self.begin, as: caller,
            [
                .text(vault), document.map { .text($0) } ?? .null, declared.map { .int($0) } ?? .null,
                .int(DocumentVersion.chunkSize),
            ] + conditions + [.instant(request.clock.now)])
        guard let facts, let id = facts.root["version_id"]?.string else {
            throw Problem(fault: "api.begin_upload gave no version")
        }
        do throws(Problem) {
            var key = facts.root["key"]?.string
            if key == nil { key = try await makeKey(facts.root["vault_id"]?.string ?? vault) }
            return try DocumentVersion(facts, key: key ?? "", of: caller, with: masterKey)
        } catch {
            await abandon(id)
            throw error
        }
    }

    /// Makes a key for the vault and returns the wrapped key to use. Two servers can get here at once: the database
    /// keeps the first key and returns it to both.
    private func makeKey(_ vault: String) async throws(Problem) -> String? {
        let wrapped: [UInt8]
        do throws(CryptoError) {
            wrapped = try ContentKey.generate().wrapped(tenant: caller.tenantID, vault: vault, with: masterKey)
        } catch {
            throw Problem(fault: "\(error)")
        }
        let kept = try await request.statements.facts(
            Self.addKey, as: caller, [.text(vault), .bytea(wrapped), .instant(request.clock.now)])
        return kept?.root["key"]?.string
    }

    private func receive(into version: DocumentVersion) async throws(Problem) -> Facts {
        var content = Facts()
        var buffer: [UInt8] = []
        let digest = SHA256Digest()
        while let piece = try await next() {
            digest.update(piece)
            content.size += piece.count
            buffer += piece
            // The last chunk is marked as such, so the newest full chunk waits until more data arrives or the body
            // ends.
            while buffer.count > DocumentVersion.chunkSize {
                try await put(buffer[..<DocumentVersion.chunkSize], into: version, isLast: false, &content)
                buffer.removeFirst(DocumentVersion.chunkSize)
            }
        }
        try await put(buffer[...], into: version, isLast: true, &content)
        content.digest = digest.finish()
        return content
    }

    /// The body of a request as a content.
    private static func body(of request: HandledRequest) throws(Problem) -> Content {
        guard let reader = request.http.reader else { throw Problem(fault: "an upload without a body to read") }
        return { () async throws(Problem) in
            do throws(HTTPBodyError) {
                return try await reader.next()
            } catch {
                switch error {
                case .tooLarge: throw tooLarge
                case .interrupted: throw Problem(.unavailable)
                }
            }
        }
    }

    /// The refusal of a content that is too large.
    static let tooLarge = Problem(
        .payloadTooLarge, "A document's content has at most \(DocumentVersion.maximumSize >> 20) MiB.")

    private func put(
        _ chunk: ArraySlice<UInt8>, into version: DocumentVersion, isLast: Bool, _ content: inout Facts
    ) async throws(Problem) {
        let sealed: [UInt8]
        do throws(CryptoError) {
            sealed = try version.key.seal(chunk, for: version.place(content.chunks, isLast: isLast))
        } catch {
            throw Problem(fault: "\(error)")
        }
        _ = try await request.statements.ask(
            Self.putChunk, as: caller,
            [
                .text(version.vault), .text(version.id), .int(content.chunks), .bytea(sealed),
                .instant(request.clock.now),
            ])
        content.chunks += 1
    }

    private func finish(_ values: [PostgresValue], _ statements: Statements) async throws(Problem) -> HTTPResponse {
        let answer = try await statements.ask(Self.finish, as: caller, values + [.instant(request.clock.now)])
        return try Answer.response(answer, success: request.success)
    }

    private func abandon(_ version: DocumentVersion) async {
        await abandon(version.id)
    }

    /// If this fails, the worker deletes the upload an hour later.
    private func abandon(_ version: String) async {
        _ = try? await request.statements.ask(Self.abandon, as: caller, [.text(version)])
    }
}
