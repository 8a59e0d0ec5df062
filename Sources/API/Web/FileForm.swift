internal import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Texts
internal import Web

/// A form with files, read while the browser sends it. Each file goes through the upload of a document chunk by chunk, so that the form takes no
/// more memory than one upload. A file that is refused does not stop the others.
///
/// Confined to the event loop's thread, as the visit.
final class FileForm {
    /// The most files of one form.
    static let mostFiles = 20
    /// The largest form in bytes.
    static let maximum = mostFiles * DocumentVersion.maximumSize + (1 << 20)
    /// The most bytes of the fields that are no files.
    private static let mostFields = 64 << 10

    private let visit: ScreenVisit
    private var parser: Multipart?
    private var fields: [(name: String, value: String)] = []
    private var sizeOfFields = 0
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
        var isChecked = false
        do throws(Problem) {
            while let event = try await next() {
                guard case .part(let part) = event else { continue }
                guard let fileName = part.fileName else {
                    try await readField(part.name)
                    continue
                }
                // The form's token stands before its files, so that nothing is stored for another site.
                if !isChecked {
                    guard try visit.token.isValid(form[FormFields.token]) else { return try await sendAgain() }
                    isChecked = true
                }
                guard !fileName.isEmpty else { continue }
                try await take(part, fileName)
            }
        } catch {
            if error.code == .unavailable { throw error }
            refusals.append(("", error))
        }
        guard isChecked else { return try await sendAgain() }
        return try await outcome()
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
        number += 1
        var isOver = false
        var size = 0
        do throws(Problem) {
            guard number <= Self.mostFiles else {
                throw Problem(.payloadTooLarge, "Send at most \(Self.mostFiles) files at once.")
            }
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
