internal import Crypto
internal import HTTP
internal import Identity
internal import JSON
internal import NetworkAddresses
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// A request of somebody who is signed in for a screen.
struct ScreenVisit {
    let site: SiteServer
    let request: HTTPRequest
    let screen: ScreenRoute
    let parameters: [String]
    let session: BrowserSessions.Session
    let cookies: Cookies
    let client: NetworkAddress?
    let texts: PageTexts

    /// Shows the screen, or carries out the act of the form that was sent.
    func answer() async throws(Problem) -> HTTPResponse {
        guard request.method == .post else {
            do throws(Problem) {
                var response = try await show()
                if notice != nil { cookies.remove(Cookies.notice, in: &response) }
                return response
            } catch {
                return try await explain(error)
            }
        }
        let form = FormFields(request.form)
        let name = form[FormFields.act]
        guard try token.isValid(form[FormFields.token]) else {
            if try token.isOfAnotherPerson(form[FormFields.token]) { return try await refuseForm() }
            return try await showAgain(Visit.RefusedForm(act: name, fields: form, problem: nil), status: .forbidden)
        }
        // The act words its refusals in the person's language too.
        let framed = try? await Self.document(frame())
        let act: Act
        do throws(Problem) {
            guard let found = try screen.act(name, form, visit(person: framed.map { Visit.Person($0.root) })) else {
                throw Problem(.invalidRequest, "This page has no such button. Load it again.")
            }
            act = found
        } catch {
            return try await showAgain(
                Visit.RefusedForm(act: name, fields: form, problem: error), status: error.code.entry.status)
        }
        guard let call = act.call else { return try await show(step: form) }
        var document: JSONDocument?
        var (isRepeat, isRefused) = (false, false)
        do throws(Problem) {
            if let first = act.first { _ = try await ask(first, key: "") }
            let formKey = FormKey(
                form[FormFields.key], browser: session.caller.session ?? "", at: request.receivedAt)
            let response = try await site.call(
                call, for: request, as: .person(session), client: client, key: act.actsAnew ? "" : Self.key(form),
                formKey: formKey)
            isRepeat = response.headers["Idempotent-Replayed"] != nil
            if let bytes = Self.bytes(of: response) { document = try JSONDocument(answer: bytes) }
        } catch {
            guard act.doneBefore.contains(error.code) else {
                let problem = error.ofForm
                return try await showAgain(
                    Visit.RefusedForm(act: name, fields: form, problem: problem), status: problem.code.entry.status)
            }
            isRefused = true
        }
        if let page = act.page {
            guard let frame = try await Self.document(frame()) else { throw Problem(fault: "a page without a frame") }
            let visit = try visit(person: Visit.Person(frame.root))
            return Layout(visit).response(page(document?.root, visit))
        }
        let destination = act.destination(document?.root)
        var response = SiteServer.redirect(to: destination.path)
        if act.endsSession { cookies.endSignIn(keepsDevice: act.keepsDevice, in: &response) }
        // The answer of the first time says what was so then. What is so now, the page shows.
        let notice = isRefused ? act.noticeBefore ?? destination.notice : destination.notice
        if let notice = isRepeat ? Notice("web.form.done_before") : notice {
            cookies.leave(notice, in: &response)
        }
        return response
    }

    /// Shows the screen with a form that was not carried out. Where the screen itself cannot be shown, the form waits
    /// on a page of its own.
    func showAgain(_ refused: Visit.RefusedForm, status: HTTPStatus) async throws(Problem) -> HTTPResponse {
        do throws(Problem) {
            return try await show(refused, status: status)
        } catch {
            // The form must not be offered again: its subject no longer exists.
            guard error.code.entry.retryable else { return try await explain(error) }
            var visit = try visit(person: nil)
            visit.refused = Visit.RefusedForm(
                act: refused.act, fields: refused.fields, problem: refused.problem ?? error)
            return Layout(visit).response(WaitingForm.page(visit), status: status)
        }
    }

    /// Shows the screen as it is, without the form of a page that was somebody else's: its fields are theirs.
    func refuseForm() async throws(Problem) -> HTTPResponse {
        do throws(Problem) {
            return try await show(says: Notice("web.form.other_person"), status: .forbidden)
        } catch {
            return try await explain(error)
        }
    }

    /// Says why the screen cannot be shown, within the frame where that can be had.
    private func explain(_ problem: Problem) async throws(Problem) -> HTTPResponse {
        // A fault is logged where the request is refused.
        guard problem.fault == nil else { throw problem }
        let frame = try? await Self.document(frame())
        let visit = try visit(person: frame.map { Visit.Person($0.root) })
        var response = Layout(visit).response(ProblemPage.page(problem, visit), status: problem.code.entry.status)
        if let wait = problem.retryAfter { response.headers.add("Retry-After", String(wait)) }
        return response
    }

    private func show(
        _ refused: Visit.RefusedForm? = nil, step: FormFields? = nil, says said: Notice? = nil, status: HTTPStatus = .ok
    ) async throws(Problem) -> HTTPResponse {
        let before = try visit(person: nil)
        if before.isReading, let note = screen.noteOfReading(before) {
            // The page shows what it shows, whether or not it could be noted. What is left unread stays unread on the
            // page.
            _ = try? await ask(note, key: "")
        }
        let calls = screen.calls(before)
        // The first screen's answer has the frame in it, and names its place in the stream.
        let isFirstScreen = calls.first?.path == "/v1/home"
        async let besides = isFirstScreen ? nil : frame()
        let answers = try await Self.documents(all(calls))
        let framed = isFirstScreen ? answers[0] : try await Self.document(besides)
        guard let frame = framed?.root else { throw Problem(fault: "a page without a frame") }
        let person = Visit.Person(frame)
        var visit = before.by(person, words(of: person))
        if isFirstScreen { visit.place = frame["last_event_id"]?.string }
        visit.notice = said ?? (refused == nil ? notice : nil)
        visit.refused = refused
        visit.step = step
        let null = try JSONDocument(answer: Array("null".utf8))
        return Layout(visit).response(try screen.page(answers.map { ($0 ?? null).root }, visit), status: status)
    }

    /// The key of the act, by which a form that is sent twice acts once. Each button of a form is an act of its own.
    static func key(_ form: FormFields) -> String {
        guard !form[FormFields.key].isEmpty else { return "" }
        return Hex.encode(sha256("\(form[FormFields.key])\n\(form[FormFields.act])".utf8).prefix(16))
    }

    /// The notice of the act that led here. A page that only brings another one up to date leaves it to the next.
    private var notice: Notice? { request.header("Kith-Refresh") == nil ? cookies.notice : nil }

    /// What a page's request asks of the API: bytes, since documents do not go from task to task.
    private typealias Outcome = Result<[UInt8]?, Problem>

    /// Makes the calls at the same time. The answers are in the order of the calls.
    private func all(_ calls: [APICall]) async -> [Outcome] {
        guard calls.count > 1 else {
            guard let call = calls.first else { return [] }
            return [await outcome(of: call)]
        }
        return await withTaskGroup(of: (Int, Outcome).self) { group in
            for (index, call) in calls.enumerated() { group.addTask { (index, await outcome(of: call)) } }
            var outcomes = [Outcome](repeating: .success(nil), count: calls.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }

    private func outcome(of call: APICall) async -> Outcome {
        do throws(Problem) {
            return .success(try await bytes(of: call, key: nil))
        } catch {
            if call.mayFail.contains(error.code) { return .success(nil) }
            // A segment of the page's address that is no id leads nowhere.
            return .failure(error.code == .validationFailed ? Problem(.notFound) : error)
        }
    }

    private func frame() async -> Outcome? {
        let statements = Statements(
            pool: site.services.pool, client: Caller.client(of: session.caller), request: request.id, transaction: nil)
        do throws(Problem) {
            return .success(try await statements.ask(Self.frame, as: session.caller, [.instant(request.receivedAt)]))
        } catch {
            return .failure(error)
        }
    }

    private static func documents(_ outcomes: [Outcome]) throws(Problem) -> [JSONDocument?] {
        var documents: [JSONDocument?] = []
        for outcome in outcomes { documents.append(try document(outcome)) }
        return documents
    }

    private static func document(_ outcome: Outcome?) throws(Problem) -> JSONDocument? {
        guard let bytes = try outcome?.get() else { return nil }
        return try JSONDocument(answer: bytes)
    }

    private func ask(_ call: APICall, key: String, formKey: FormKey? = nil) async throws(Problem) -> JSONDocument? {
        guard let bytes = try await bytes(of: call, key: key, formKey: formKey) else { return nil }
        return try JSONDocument(answer: bytes)
    }

    private func bytes(
        of call: APICall, key: String?, formKey: FormKey? = nil
    ) async throws(Problem) -> [UInt8]? {
        let response = try await site.call(
            call, for: request, as: .person(session), client: client, key: key, formKey: formKey)
        return Self.bytes(of: response)
    }

    private static func bytes(of response: HTTPResponse) -> [UInt8]? {
        guard case .bytes(let bytes) = response.body, !bytes.isEmpty else { return nil }
        return bytes
    }

    private func visit(person: Visit.Person?) throws(Problem) -> Visit {
        let token = try token
        var visit = Visit(
            path: request.path, parameters: parameters.map(APICall.segment), query: FormFields(request.query),
            now: request.receivedAt,
            words: words(of: person), brand: session.brandName, tenant: session.caller.slug,
            person: person, token: { token.text }, newKey: { [now = request.receivedAt] in UUID7.make(at: now) })
        let agent = request.header("User-Agent") ?? ""
        visit.isApple = ["iPhone", "iPad", "Macintosh"].contains { agent.contains($0) }
        visit.brandColor = BrandColor(session.brandColor)
        visit.brandMark = BrandMark(session.brandMark)
        visit.userID = session.caller.user
        visit.isAnswer = request.method == .post
        visit.isReading = SiteOrigin.isReading(request)
        return visit
    }

    /// The words in the person's language, else in one that the browser prefers.
    private func words(of person: Visit.Person?) -> Words {
        Words(
            texts.texts(in: person?.locale, else: request), timeZone: person?.timeZone ?? "UTC", now: request.receivedAt
        )
    }

    /// The token of the forms of this sign-in.
    var token: FormToken {
        get throws(Problem) {
            try FormToken(of: session, site.services.masterKey)
        }
    }

    private static let frame = ProcedureCall("api.page_frame", ["timestamptz"], lane: .reads, mayUseStandby: true)
}

extension Problem {
    /// The problem as somebody reads it who has sent a form: nobody who fills in a form knows of keys.
    var ofForm: Problem {
        guard code == .idempotencyMismatch else { return self }
        return Problem(
            .conflict,
            """
            This form had been sent before with something else in it. See whether that is enough; if not, send it \
            again.
            """)
    }
}

extension FormToken {
    /// The token of the forms of a sign-in.
    ///
    /// - Throws: ``Problem`` if the key cannot be derived.
    init(of session: BrowserSessions.Session, _ masterKey: MasterKey) throws(Problem) {
        let id = session.caller.session
        try self.init(
            subject: "site", secret: id ?? "", isKnown: id != nil, of: session.caller.user, masterKey)
    }
}
