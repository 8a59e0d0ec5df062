internal import Contacts
internal import Crypto
internal import HTTP
internal import Identity
internal import JSON
internal import NetworkAddresses
internal import Pages
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// A request of somebody who is not signed in: for the first page, for the sign-in, or for a screen that requires one.
struct SignInVisit {
    let site: SiteServer
    let request: HTTPRequest
    let cookies: Cookies
    let client: NetworkAddress?
    let form: FormFields
    let tenant: PageTenant
    private let words: Words
    /// What binds the forms of the sign-in to this browser.
    let secret: String

    private init(
        _ site: SiteServer, _ request: HTTPRequest, _ cookies: Cookies, _ client: NetworkAddress?, _ form: FormFields,
        _ tenant: PageTenant, _ texts: PageTexts
    ) {
        self.site = site
        self.request = request
        self.cookies = cookies
        self.client = client
        self.form = form
        self.tenant = tenant
        words = Words(texts.texts(else: request), timeZone: "UTC", now: request.receivedAt)
        secret = cookies[Cookies.form].flatMap { TextFormat.opaque.accepts($0) ? $0 : nil } ?? FormToken.newSecret()
    }

    /// A visit of the tenant whose sign-in is requested, by host or by slug.
    ///
    /// - Throws: ``Problem`` `not_found` if there is no such tenant.
    static func of(
        _ request: HTTPRequest, on site: SiteServer, _ cookies: Cookies, _ client: NetworkAddress?
    ) async throws(Problem) -> SignInVisit {
        let form = FormFields(request.form)
        let services = site.services
        let slug = slug(request, form, cookies)
        let tenant = try await PageTenant.of(
            request, services.pool, publicURL: services.publicURL, slug: slug ?? services.demo?.tenant)
        guard let tenant else { throw PageTenant.unknown }
        let texts = await services.answerTexts.pageTexts(tenant.wording)
        return SignInVisit(site, request, cookies, client, form, tenant, texts)
    }

    /// Shows the sign-in in place of a screen. A form that waits is kept, unless it has files.
    static func interrupt(
        _ request: HTTPRequest, on site: SiteServer, _ cookies: Cookies, _ client: NetworkAddress?
    ) async throws(Problem) -> HTTPResponse {
        let slug = slug(request, FormFields(request.form), cookies)
        guard request.method == .post else {
            let query = request.queryText.isEmpty ? "" : "?\(request.queryText)"
            return SiteServer.redirect(to: SignInPage.address(next: request.path + query, tenant: slug))
        }
        guard request.reader == nil else {
            // Files are not kept for anybody. The sign-in and the page after it say that they have to be chosen again.
            let next = "\(request.path)?\(FileFields.again)"
            return SiteServer.redirect(to: SignInPage.address(next: next, tenant: slug))
        }
        let errand = SignInPage.Errand(next: request.path, form: String(decoding: request.body, as: UTF8.self))
        return try await of(request, on: site, cookies, client).show(errand, status: .unauthorized) { $0.contact() }
    }

    /// Shows the sign-in, or goes on with it.
    func answer(isFront: Bool) async throws(Problem) -> HTTPResponse {
        guard request.method == .post else {
            let errand = SignInPage.Errand(next: FormFields(request.query).text("next"), form: nil)
            return try show(errand) { $0.contact(isFirst: isFront) }
        }
        let errand = SignInPage.Errand(next: form.text("next"), form: form.text("waiting"))
        guard try token().isValid(form[FormFields.token]) else {
            return try show(errand, refusal: nil, status: .forbidden) { $0.contact() }
        }
        switch form[FormFields.act] {
        case "code": return try await sendCode(errand)
        case "sign-in": return try await tryCode(errand)
        case "demo": return try await beDemoPerson(errand)
        default: throw Problem(.invalidRequest, "This page has no such button. Load it again.")
        }
    }

    private func sendCode(_ errand: SignInPage.Errand) async throws(Problem) -> HTTPResponse {
        let region = form.text("country") ?? tenant.defaultRegion
        guard let contact = InvitationPages.contact(form["contact"], defaultRegion: region) else {
            let problem = Problem.invalid("contact", words("web.sign_in.contact_invalid"))
            return try show(errand, refusal: problem, status: .unprocessableContent) { $0.contact() }
        }
        do throws(Problem) {
            let answer = try await ask(
                .send(.post, "/v1/auth/otp") { json in
                    json.field(contact.member, contact.address)
                    // Codes that strangers ask for, and wrong ones that they try, then keep nobody out of the browser
                    // that they have used before.
                    if let secret = cookies.knownSecret { json.field("refresh_token", secret) }
                },
                formKey: FormKey(form[FormFields.key], browser: secret, at: request.receivedAt))
            guard let challenge = answer["challenge_id"]?.string else { throw Problem(fault: "no challenge") }
            return try show(errand) { $0.code(contact: contact.address, challenge: challenge, problem: nil) }
        } catch {
            return try show(errand, refusal: error, status: error.code.entry.status) { $0.contact() }
        }
    }

    private func tryCode(_ errand: SignInPage.Errand) async throws(Problem) -> HTTPResponse {
        let contact = InvitationPages.contact(form["contact"], defaultRegion: tenant.defaultRegion)
        let challenge = form["challenge"]
        // People type spaces too: codes are often shown in two groups.
        let code = form["code"].filter { !$0.isWhitespace }
        do throws(Problem) {
            guard let contact, TextFormat.code.accepts(code) else { throw Problem(.otpInvalid) }
            let answer = try await ask(
                .send(.post, "/v1/auth/otp/verify") { json in
                    json.field(contact.member, contact.address)
                    json.field("code", code)
                    if TextFormat.uuid.accepts(challenge) { json.field("challenge_id", challenge) }
                },
                formKey: FormKey(form[FormFields.key], browser: secret, at: request.receivedAt))
            guard let secret = answer["refresh_token"]?.string else {
                throw Problem(fault: "a sign-in without a token")
            }
            if answer["user"]?["display_name"]?.string == nil {
                await greet(secret)
            }
            return try await begin(secret, errand)
        } catch {
            let text = error.text(in: words)
            return try show(errand, status: error.code.entry.status) {
                $0.code(contact: contact?.address ?? form["contact"], challenge: challenge, problem: text)
            }
        }
    }

    /// Gives a new account the language of the browser. Whoever it fails for can choose one.
    private func greet(_ secret: String) async {
        let catalogue = TextCatalogue.kith
        let language = words.language
        guard language != (catalogue.language(for: tenant.wording?.defaultLocale) ?? catalogue.english).tag,
            let session = try? await site.session(of: secret, for: request)
        else { return }
        _ = try? await site.call(
            .send(.patch, "/v1/me") { $0.field("locale", language) }, for: request, as: .person(session), client: client
        )
    }

    private func beDemoPerson(_ errand: SignInPage.Errand) async throws(Problem) -> HTTPResponse {
        guard let demo = site.services.demo, demo.people.contains(form["person"]), demo.tenant == tenant.slug else {
            throw .unknownPath
        }
        let secret = try await DemoSignIn(pool: site.services.pool).begin(
            form["person"], in: tenant.id, at: request.receivedAt, request: request.id)
        return try await begin(secret, errand)
    }

    /// The slug in the address or in the form, else that of the sign-in that has ended.
    private static func slug(_ request: HTTPRequest, _ form: FormFields, _ cookies: Cookies) -> String? {
        // It comes to stand in addresses and in pages.
        [form.text("t"), request.parameter("t")].lazy.compactMap { $0 }.first(where: PageTenant.isSlug)
            ?? cookies.signIn?.tenant
    }

    /// The token of a form about `subject`, bound to this browser.
    func token(_ subject: String = "sign-in") throws(Problem) -> FormToken {
        try FormToken(
            subject: subject, secret: secret, isKnown: cookies[Cookies.form] == secret, site.services.masterKey)
    }

    /// Keeps the sign-in in the browser and goes to where the person wanted to go, or to the form that waits.
    func begin(
        _ secret: String, _ errand: SignInPage.Errand
    ) async throws(Problem) -> HTTPResponse {
        var response = SiteServer.redirect(to: errand.next ?? Site.home)
        if let waiting = errand.form, let next = errand.next, let found = site.screen(at: next),
            let session = try await site.session(of: secret, for: request)
        {
            let sent = HTTPRequest(
                method: .post, path: next, headers: request.headers, body: Array(waiting.utf8),
                remoteAddress: request.remoteAddress, id: request.id, receivedAt: request.receivedAt)
            let visit = ScreenVisit(
                site: site, request: sent, screen: found.screen, parameters: found.parameters, session: session,
                cookies: cookies, client: client,
                texts: await site.services.answerTexts.pageTexts(session.wording))
            let fields = FormFields(sent.form)
            response =
                try visit.token.isOfAnotherPerson(fields[FormFields.token])
                ? try await visit.refuseForm()
                : try await visit.showAgain(
                    Visit.RefusedForm(act: fields[FormFields.act], fields: fields, problem: nil), status: .ok)
        }
        cookies.keep(secret, of: tenant.slug, in: &response)
        return response
    }

    private func ask(_ call: APICall, formKey: FormKey? = nil) async throws(Problem) -> JSONValue {
        let response = try await site.call(
            call, for: request, as: .visitor(tenant.slug), client: client, formKey: formKey)
        guard case .bytes(let bytes) = response.body else { throw Problem(fault: "an answer without a body") }
        return try JSONDocument(answer: bytes).root
    }

    /// The response with a page of the sign-in. A refusal without a problem is one that only has to be sent again.
    private func show(
        _ errand: SignInPage.Errand, refusal: Problem?? = .none, status: HTTPStatus = .ok,
        _ page: (SignInPage) -> ScreenPage
    ) throws(Problem) -> HTTPResponse {
        try show(path: SignInPage.path, try token(), refusal: refusal, status: status) { visit in
            page(SignInPage(visit, errand, ownSignIn: tenant.signInURL))
        }
    }

    /// The response with a page whose forms have a token.
    func show(
        path: String, _ token: FormToken, refusal: Problem?? = .none, status: HTTPStatus = .ok,
        _ page: (Visit) -> ScreenPage
    ) throws(Problem) -> HTTPResponse {
        var visit = Visit(
            path: path, parameters: [], query: FormFields(), now: request.receivedAt, words: words,
            brand: tenant.brand.name, tenant: Self.slug(request, form, cookies), person: nil, token: { token.text },
            newKey: { [now = request.receivedAt] in UUID7.make(at: now) })
        visit.brandColor = tenant.brand.color
        visit.brandMark = tenant.brand.mark
        visit.country = region
        visit.countries = Self.countries
        visit.demoPeople = site.services.demo?.people ?? []
        if case .some(let problem) = refusal {
            visit.refused = Visit.RefusedForm(act: form[FormFields.act], fields: form, problem: problem)
        }
        visit.notice = request.method == .post ? nil : cookies.notice
        var response = Layout(visit).response(page(visit), status: status)
        if visit.notice != nil { cookies.remove(Cookies.notice, in: &response) }
        if cookies[Cookies.form] != secret { cookies.set(Cookies.form, secret, seconds: 86400, in: &response) }
        return response
    }

    /// The country in whose format a phone number is read, unless the person chooses another: the tenant's, or that of
    /// a language that the browser prefers, such as `de-AT`.
    private var region: String? {
        let languages = (request.headers.list("Accept-Language") ?? "").split(separator: ",").prefix(10)
        let preferred = languages.lazy.compactMap { language in
            PhoneRegion(languageTag: String(language.prefix { $0 != ";" }.drop { $0 == " " }))
        }
        return tenant.defaultRegion ?? preferred.first?.code
    }

    private static let countries = PhoneRegion.all.map { Visit.Country(code: $0.code, callingCode: $0.callingCode) }
}

extension Contact {
    /// The member of a call's body that names an address of this channel.
    fileprivate var member: String { channel == "email" ? "email" : "phone" }
}
