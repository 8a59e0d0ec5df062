internal import Crypto
internal import Foundation
internal import HTTP
internal import JSON
internal import NetworkAddresses
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// A request for the desk's pages (K12). Whoever works there has signed in with a secret key of the scope `alarms` and
/// their name, for a shift. The pages make the calls of the public API that the tenant's own server would make.
struct DeskVisit {
    private static let cookie = "kith_desk"
    /// The most pages of 100 alarms that the list reads.
    private static let mostPages = 10

    let site: SiteServer
    let request: HTTPRequest
    let cookies: Cookies
    let client: NetworkAddress?

    /// The slug of the tenant at whose desk a browser works, which stands in clear before the sealed shift so that a
    /// request reaches the tenant's cell.
    static func tenant(_ cookies: Cookies) -> String? {
        cookies[cookie]?.split(separator: ".", maxSplits: 1).first.map(String.init).flatMap {
            PageTenant.isSlug($0) ? $0 : nil
        }
    }

    /// Shows the list, the alarm of that id, or how the canary is; or asks who is there.
    func answer(alarm id: String?) async throws(Problem) -> HTTPResponse {
        let masterKey = site.services.masterKey
        guard let shift = DeskShift(cookies[Self.cookie], at: request.receivedAt, masterKey) else {
            return try await begin()
        }
        let tenant: PageTenant?
        let caller: Caller
        do throws(Problem) {
            caller = try await site.caller(of: shift.key, for: request)
            tenant = try await self.tenant(caller.slug)
        } catch {
            guard error.code == .unauthenticated || error.code == .forbidden else { throw error }
            return try await end(isAct: request.method == .post)
        }
        let isOfCanary = id == DeskPage.canary && request.method == .get
        guard isOfCanary || id.map(TextFormat.uuid.accepts) != false else { throw Problem(.notFound) }
        var visit = try await visit(tenant, secret: shift.secret, isKnown: true)
        if isOfCanary { return try await canary(shift, caller, visit) }
        guard request.method == .post else {
            visit.notice = request.header("Kith-Refresh") == nil ? cookies.notice : nil
            var response = try await show(id, shift, visit)
            if visit.notice != nil { cookies.remove(Cookies.notice, in: &response) }
            return response
        }
        let form = FormFields(request.form)
        let act = form[FormFields.act]
        visit.refused = Visit.RefusedForm(act: act, fields: form, problem: nil)
        guard try token(shift.secret, isKnown: true).isValid(form[FormFields.token]) else {
            return try await show(id, shift, visit, status: .forbidden)
        }
        if act == "end-shift" { return try await end(isAct: false) }
        do throws(Problem) {
            guard let id, let found = try DeskPage(visit, person: shift.person).call(act, form, alarm: id) else {
                throw Problem(.invalidRequest, "This page has no such button. Load it again.")
            }
            let answer = try await site.call(
                found.call, for: request, as: .key(shift.key), client: client, key: ScreenVisit.key(form))
            var response = SiteServer.redirect(to: DeskPage.path(of: id))
            // The answer of the first time says what was so then. What is so now, the page shows.
            let isRepeat = answer.headers["Idempotent-Replayed"] != nil
            cookies.leave(isRepeat ? Notice("web.form.done_before") : found.notice, in: &response)
            return response
        } catch {
            let problem = error.ofForm
            visit.refused = Visit.RefusedForm(act: act, fields: form, problem: problem)
            return try await show(id, shift, visit, status: problem.code.entry.status)
        }
    }

    private func canary(_ shift: DeskShift, _ caller: Caller, _ visit: Visit) async throws(Problem) -> HTTPResponse {
        let statements = Statements(
            pool: site.services.pool, client: Caller.client(of: caller), request: request.id, transaction: nil)
        let facts = try await statements.facts(Self.canaries, as: caller, [.instant(request.receivedAt)])
        return Layout(visit).response(DeskPage(visit, person: shift.person).canary(facts?.root))
    }

    private static let canaries = ProcedureCall("api.tenant_canaries", ["timestamptz"], lane: .reads)

    private func show(
        _ id: String?, _ shift: DeskShift, _ visit: Visit, status: HTTPStatus = .ok
    ) async throws(Problem) -> HTTPResponse {
        let page = DeskPage(visit, person: shift.person)
        let open = try await alarms("open", shift)
        if let id {
            let alarm = try await ask("/v1/tenant/alarms/\(id)", shift)
            return Layout(visit).response(page.alarm(alarm.root, besides: open.map(\.root)), status: status)
        }
        let taken = try await alarms("taken", shift)
        // These are the newest 100 by their opening, so one that ended long after it opened can be missing.
        let over = try await ask("/v1/tenant/alarms?limit=100&status=resolved", shift)
        return Layout(visit).response(
            page.list(
                open: open.map(\.root), taken: taken.map(\.root), over: over.root, from: Self.text(shift.began),
                until: Self.text(shift.ends)), status: status)
    }

    /// All alarms of a status, up to ``mostPages``. The API lists the newest first, and the oldest have waited for the
    /// longest.
    private func alarms(_ status: String, _ shift: DeskShift) async throws(Problem) -> [JSONDocument] {
        var pages: [JSONDocument] = []
        var cursor = ""
        repeat {
            let page = try await ask("/v1/tenant/alarms?limit=100&status=\(status)\(cursor)", shift)
            pages.append(page)
            guard let next = page.root["next_cursor"]?.string else { break }
            cursor = "&cursor=\(next)"
        } while pages.count < Self.mostPages
        return pages
    }

    private func ask(_ path: String, _ shift: DeskShift) async throws(Problem) -> JSONDocument {
        let response = try await site.call(.get(path), for: request, as: .key(shift.key), client: client)
        guard case .bytes(let bytes) = response.body else { throw Problem(fault: "\(path) answered nothing") }
        return try JSONDocument(answer: bytes)
    }

    /// Asks for a key and a name, or begins a shift with them. `notice` says what became of the last shift.
    private func begin(after notice: Notice? = nil) async throws(Problem) -> HTTPResponse {
        let known = cookies[Cookies.form].flatMap { TextFormat.opaque.accepts($0) ? $0 : nil }
        let secret = known ?? FormToken.newSecret()
        var visit = try await visit(try await tenant(nil), secret: secret, isKnown: known != nil)
        visit.notice = notice
        var status: HTTPStatus = notice == nil ? .ok : .unauthorized
        if request.method == .post, notice == nil {
            let form = FormFields(request.form)
            visit.refused = Visit.RefusedForm(act: "begin", fields: Self.kept(form), problem: nil)
            status = .forbidden
            if try token(secret, isKnown: known != nil).isValid(form[FormFields.token]) {
                do throws(Problem) {
                    return try await begin(key: form.text("secret") ?? "", by: form.text("by") ?? "", visit)
                } catch {
                    visit.refused = Visit.RefusedForm(act: "begin", fields: Self.kept(form), problem: error)
                    status = error.code.entry.status
                }
            }
        }
        var response = Layout(visit).response(DeskPage.signIn(visit), status: status)
        if known == nil { cookies.set(Cookies.form, secret, seconds: 3600, in: &response) }
        return response
    }

    private func begin(key: String, by person: String, _ visit: Visit) async throws(Problem) -> HTTPResponse {
        guard TextFormat.line.accepts(person), person.utf8.count <= 100 else {
            throw .invalid("by", visit.words("web.desk.name_missing"))
        }
        let caller: Caller
        do throws(Problem) {
            guard key.hasPrefix("kith_sk_"), TextFormat.opaque.accepts(key), key.utf8.count <= 200 else {
                throw Problem(.unauthenticated)
            }
            caller = try await site.caller(of: key, for: request)
            _ = try await tenant(caller.slug)
        } catch {
            guard error.code == .unauthenticated || error.code == .forbidden else { throw error }
            throw .invalid("secret", visit.words("web.desk.key_wrong"))
        }
        // A browser that several people use is no place for a key that can do everything.
        guard case .key(_, let scopes) = caller.kind, scopes == [KeyScope.alarms.rawValue] else {
            throw .invalid("secret", visit.words("web.desk.key_all"))
        }
        var response = SiteServer.redirect(to: DeskPage.path)
        let shift = DeskShift(key: key, person: person, at: request.receivedAt)
        cookies.set(
            Self.cookie, "\(caller.slug).\(try shift.sealed(site.services.masterKey))", seconds: DeskShift.length,
            in: &response)
        return response
    }

    /// Ends the shift in this browser. Whoever pressed a button reads that it did nothing.
    private func end(isAct: Bool) async throws(Problem) -> HTTPResponse {
        var response =
            isAct ? try await begin(after: Notice("web.desk.over")) : SiteServer.redirect(to: DeskPage.path)
        cookies.remove(Self.cookie, in: &response)
        return response
    }

    /// The tenant of a key, or without one that of the request.
    ///
    /// - Throws: ``Problem`` `forbidden` on the host of another tenant.
    private func tenant(_ slug: String?) async throws(Problem) -> PageTenant? {
        let services = site.services
        let found = try await PageTenant.of(request, services.pool, publicURL: services.publicURL, slug: slug)
        if let slug, let found, found.slug != slug { throw Problem(.forbidden) }
        return found
    }

    private func token(_ secret: String, isKnown: Bool) throws(Problem) -> FormToken {
        try FormToken(subject: "desk", secret: secret, isKnown: isKnown, site.services.masterKey)
    }

    private func visit(_ tenant: PageTenant?, secret: String, isKnown: Bool) async throws(Problem) -> Visit {
        let token = try token(secret, isKnown: isKnown)
        let texts = await site.services.answerTexts.pageTexts(tenant?.wording)
        var visit = Visit(
            path: request.path, parameters: [], query: FormFields(request.query), now: request.receivedAt,
            words: Words(texts.texts(else: request), timeZone: "UTC", now: request.receivedAt),
            brand: tenant?.brand.name ?? "Kith", tenant: tenant?.slug, person: nil, token: { token.text },
            newKey: { [now = request.receivedAt] in UUID7.make(at: now) })
        visit.brandColor = tenant?.brand.color
        visit.brandMark = tenant?.brand.mark
        visit.country = tenant?.defaultRegion
        return visit
    }

    /// The fields that a refused form shows again: all but the key.
    private static func kept(_ form: FormFields) -> FormFields {
        FormFields(pairs: form.input.filter { $0.name != "secret" })
    }

    /// An instant as the API writes it, to the second before it.
    private static func text(_ instant: Int64) -> String {
        Date(timeIntervalSince1970: Double(instant / 1_000_000)).formatted(.iso8601).dropLast() + ".000000Z"
    }
}
