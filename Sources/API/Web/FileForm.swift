internal import EventLoop
internal import HTTP
internal import Identity
internal import JSON
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// A form with files, read while the browser sends it. Each file goes through the upload of a document chunk by chunk,
/// so that the form takes no more memory than one upload. A file that is refused does not stop the others.
///
/// Confined to the event loop's thread, as the visit.
final class FileForm {
    /// The most files of one form.
    static let mostFiles = 20
    /// The largest form in bytes.
    static let maximum = mostFiles * DocumentVersion.maximumSize + (1 << 20)
    /// The most parts of a form: its files, and the fields beside them.
    private static let mostParts = mostFiles + 20
    /// The most bytes of the names of all parts and of the values of those that are no files.
    private static let mostFields = 64 << 10

    private let visit: ScreenVisit
    private var parser: Multipart?
    private var fields: [(name: String, value: String)] = []
    private var sizeOfFields = 0
    private var parts = 0
    private var added = 0
    private var refusals: [(name: String, problem: Problem)] = []
    private var number = 0

    init(_ visit: ScreenVisit) {
        self.visit = visit
        parser = Multipart.boundary(of: visit.request.header("Content-Type")).map(Multipart.init)
    }

    /// Stores the files and redirects, or shows the screen again with the files that were refused.
    func answer() async throws(Problem) -> HTTPResponse {
        guard parser != nil else { throw Problem(.unsupportedMediaType, "Send the form as multipart/form-data.") }
        let place: InFlightLimit.Place
        do throws(Problem) {
            place = try visit.site.services.shared.fileForms.enter(visit.session.caller)
        } catch {
            await drain()
            return try await visit.showAgain(
                Visit.RefusedForm(act: "", fields: form, problem: error), status: error.code.entry.status)
        }
        defer { place.leave() }
        guard try await hasToken() else { return try await sendAgain() }
        do throws(Problem) {
            while let event = try await next() {
                guard case .part(let part) = event else { continue }
                try count(part)
                guard let fileName = part.fileName else {
                    try await readField(part.name)
                    continue
                }
                guard !fileName.isEmpty else { continue }
                // A form can take hours. Once its person has signed out, perhaps on another device, it adds nothing.
                guard try await isSignedIn() else {
                    await drain()
                    return try await SignInVisit.interrupt(visit.request, on: visit.site, visit.cookies, visit.client)
                }
                try await take(part, fileName)
            }
        } catch {
            if error.code == .unavailable { throw error }
            refusals.append(("", error))
            await drain()
        }
        return try await outcome()
    }

    /// Reads the first part of the form, which is its token, so that nothing else is read, let alone stored, for
    /// another site.
    private func hasToken() async throws(Problem) -> Bool {
        do throws(Problem) {
            guard case .part(let part) = try await next(), part.name == FormFields.token, part.fileName == nil else {
                return false
            }
            try await readField(part.name)
        } catch {
            if error.code == .unavailable { throw error }
            return false
        }
        return try visit.token.isValid(form[FormFields.token])
    }

    /// Counts a part and its name, so that no form takes more memory than a small page.
    private func count(_ part: Multipart.Part) throws(Problem) {
        parts += 1
        sizeOfFields += part.name.utf8.count + (part.fileName ?? "").utf8.count
        if part.fileName?.isEmpty == false { number += 1 }
        guard number <= Self.mostFiles, parts <= Self.mostParts, sizeOfFields <= Self.mostFields else {
            throw Problem(.payloadTooLarge, "Send at most \(Self.mostFiles) files at once.")
        }
    }

    private func isSignedIn() async throws(Problem) -> Bool {
        let site = visit.site
        guard let secret = visit.cookies.signIn?.secret else { return false }
        let session = try await site.session(
            of: secret, for: visit.request, at: site.services.pool.loop.clock.now)
        return session?.caller.session == visit.session.caller.session
    }

    private var form: FormFields { FormFields(pairs: fields) }

    private func sendAgain() async throws(Problem) -> HTTPResponse {
        await drain()
        return try await visit.showAgain(
            Visit.RefusedForm(act: "", fields: form, problem: nil), status: .forbidden)
    }

    private func outcome() async throws(Problem) -> HTTPResponse {
        let vault = PathID.of(visit.parameters[0])
        if refusals.isEmpty, added > 0 {
            var path = "/vaults/\(vault)"
            var notice = Notice("web.document.added", ["count": .number(added)])
            if visit.screen.files == .replace {
                path += "/documents/\(PathID.of(visit.parameters[1]))"
                notice = Notice("web.document.replaced")
            }
            var response = SiteServer.redirect(to: path)
            visit.cookies.leave(notice, in: &response)
            return response
        }
        var problem = refusals.first?.problem ?? Problem(.validationFailed)
        problem.errors =
            refusals.isEmpty
            ? [.init(field: FileFields.files, message: "")]
            : refusals.map { refusal in
                // The page words them in its language.
                let text =
                    refusal.problem.errors.first?.message ?? refusal.problem.detailForPerson ?? refusal.problem.detail
                    ?? refusal.problem.code.entry.detail
                return .init(field: refusal.name, message: text)
            }
        fields.append((FileFields.added, String(added)))
        return try await visit.showAgain(
            Visit.RefusedForm(act: "", fields: form, problem: problem), status: problem.code.entry.status)
    }

    /// Reads the value of a field that is no file.
    private func readField(_ name: String) async throws(Problem) {
        var value: [UInt8] = []
        while case .content(let piece) = try await next() {
            sizeOfFields += piece.count
            guard sizeOfFields <= Self.mostFields else { throw Problem(.payloadTooLarge) }
            value += piece
        }
        guard let text = String(validating: value, as: UTF8.self) else { return }
        fields.append((name, text))
    }

    /// Stores one file. If it is refused, its bytes are discarded.
    private func take(_ part: Multipart.Part, _ fileName: String) async throws(Problem) {
        var isOver = false
        var size = 0
        do throws(Problem) {
            guard visit.screen.files == .add || number == 1 else {
                throw Problem(.invalidRequest, "Choose a single file.")
            }
            try await store(part, fileName) { () async throws(Problem) in
                switch try await self.next() {
                case .content(let piece):
                    size += piece.count
                    guard size <= DocumentVersion.maximumSize else { throw DocumentUpload.tooLarge }
                    return piece
                case .endOfPart:
                    isOver = true
                    return nil
                default: throw Problem(.invalidRequest)
                }
            }
            added += 1
        } catch {
            // Nobody waits for an answer.
            if error.code == .unavailable { throw error }
            refusals.append((fileName, error))
            while !isOver {
                switch try await next() {
                case .content: break
                default: isOver = true
                }
            }
        }
    }

    private func store(
        _ part: Multipart.Part, _ fileName: String, _ content: @escaping DocumentUpload.Content
    ) async throws(Problem) {
        let vault = PathID.of(visit.parameters[0])
        let type = part.type.flatMap { ContentType.isValid($0) ? $0 : nil } ?? ContentType.unknown
        var headers: HTTPHeaders = ["Content-Type": type]
        let isNew = visit.screen.files == .add
        let key = form[FormFields.key]
        // A form that is sent twice adds its files once.
        if isNew, !key.isEmpty { headers.add("Idempotency-Key", "\(key)-\(number)") }
        try await visit.site.upload(
            content,
            to: isNew
                ? "/v1/vaults/\(vault)/documents" : "/v1/vaults/\(vault)/documents/\(PathID.of(visit.parameters[1]))",
            isNew ? .post : .put, query: isNew ? "name=\(SignInPage.encoded(fileName))" : "", headers: headers,
            for: visit.request, as: visit.session, client: visit.client)
    }

    /// The next event of the form; nil at its end.
    private func next() async throws(Problem) -> Multipart.Event? {
        guard let reader = visit.request.reader else { throw Problem(fault: "a form of files without a reader") }
        while true {
            do throws(Multipart.Malformed) {
                if let event = try parser?.next() { return event == .end ? nil : event }
            } catch {
                throw Problem(.invalidRequest, "The form could not be read. Load the page again.")
            }
            do throws(HTTPBodyError) {
                if let piece = try await reader.next() {
                    parser?.append(piece)
                    continue
                }
            } catch {
                switch error {
                case .tooLarge(let limit):
                    throw Problem(.payloadTooLarge, "Send at most \(limit >> 20) MiB at once.")
                case .interrupted: throw Problem(.unavailable)
                }
            }
            throw Problem(.invalidRequest, "The form has no end. Load the page again.")
        }
    }

    /// Reads and discards the rest of the form. A browser shows the answer only once it has sent everything.
    private func drain() async {
        while let reader = visit.request.reader, (try? await reader.next()) != nil {}
    }
}
