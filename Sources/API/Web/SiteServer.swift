internal import Crypto
internal import HTTP
internal import Identity
internal import JSON
internal import NetworkAddresses
internal import Pages
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Web

/// Answers requests for the pages of the web client. A page makes the calls of the API that an app would make, in this
/// process and as the person whom the browser's cookie names; calls of the API themselves read no cookie.
///
/// `@unchecked Sendable`: confined to the event loop's thread, as the API server that owns it. The calls of one page
/// run at the same time there.
final class SiteServer: @unchecked Sendable {
    let services: Services
    let sessions: BrowserSessions
    private let authorization: Authorization
    private let execution: Execution
    private let router: Router<PreparedRoute>

    init(services: Services, authorization: Authorization, execution: Execution, router: Router<PreparedRoute>) {
        self.services = services
        self.authorization = authorization
        self.execution = execution
        self.router = router
        sessions = BrowserSessions(pool: services.pool)
    }

    /// Answers a request for a page. `path` has the segments that the page's path leaves open.
    func answer(
        _ request: HTTPRequest, _ route: SiteRoute, _ path: [String], client: NetworkAddress?
    ) async throws(Problem) -> HTTPResponse {
        switch route {
        case .asset:
            guard let mark = BrandMark(request.path) else { return try Self.file(request) }
            return try await BrandMarkFile.answer(request, mark, services.pool)
        case .worker: return OfflineFiles.worker
        case .manifest: return try await OfflineFiles(services, request).manifest()
        case .offline: return try await OfflineFiles(services, request).page()
        default: break
        }
        if request.method == .post {
            // The form of files is checked while it is read.
            if request.reader == nil { try RequestBody.checkType(of: request, is: .form) }
            try SiteOrigin.check(request)
        }
        let cookies = Cookies(request, publicURL: services.publicURL)
        if case .desk = route {
            return try await DeskVisit(site: self, request: request, cookies: cookies, client: client)
                .answer(alarm: path.first)
        }
        var session: BrowserSessions.Session?
        if let secret = cookies.signIn?.secret, !secret.isEmpty {
            session = try await self.session(of: secret, for: request)
        }
        if let session, SiteUse.isByPerson(request, route) {
            // Nobody is kept from a page because this fails. The next use is recorded instead.
            try? await sessions.noteUse(of: session, at: request.receivedAt, request: request.id)
        }
        switch route {
        case .asset, .worker, .manifest, .offline, .desk: throw .unknownPath
        case .place:
            guard let session else { return try await SignInVisit.interrupt(request, on: self, cookies, client) }
            return Self.redirect(to: try await place(path[0], path[1], request, session))
        case .liveSession, .liveEvents:
            try SiteOrigin.checkReading(request)
            guard let session else { throw Problem(.unauthenticated) }
            let live = LiveVisit(site: self, request: request, session: session, client: client)
            if case .liveSession = route { return try live.identity() }
            return try await live.events()
        case .front, .signIn:
            if request.method == .get || request.method == .head, session != nil {
                return Self.redirect(
                    to: SignInPage.Errand(next: request.parameter("next"), form: nil).next ?? Site.home)
            }
            return try await SignInVisit.of(request, on: self, cookies, client).answer(isFront: route.isFront)
        case .signInLink:
            return try await SignInVisit.of(request, on: self, cookies, client).answer(link: path[0], session)
        case .download(let file):
            guard let session else { return try await SignInVisit.interrupt(request, on: self, cookies, client) }
            var response = try await call(file(path), for: request, as: .person(session), client: client)
            if response.headers["Content-Disposition"] == nil {
                response.headers.add("Content-Disposition", "attachment")
            }
            return response
        case .screen(let screen):
            guard let session else {
                return try await SignInVisit.interrupt(request, on: self, cookies, client)
            }
            let visit = ScreenVisit(
                site: self, request: request, screen: screen, parameters: path, session: session, cookies: cookies,
                client: client, texts: await services.answerTexts.pageTexts(session.wording))
            return try await request.reader == nil ? visit.answer() : FileForm(visit).answer()
        case .file(let file):
            guard let session else {
                return Self.redirect(to: SignInPage.address(next: request.path, tenant: cookies.signIn?.tenant))
            }
            return try await file.answer(self, request, path, session, client)
        }
    }

    /// The sign-in that a cookie's `secret` belongs to; nil if it has ended, or if the request is for the host of
    /// another tenant.
    ///
    /// - Throws: ``Problem`` `unavailable` if the database cannot be reached.
    func session(
        of secret: String, for request: HTTPRequest, at now: Int64? = nil
    ) async throws(Problem) -> BrowserSessions.Session? {
        try await sessions.session(
            of: secret, on: PageTenant.host(of: request), at: now ?? request.receivedAt, request: request.id)
    }

    /// The caller whose secret key may work the alarms of its tenant.
    ///
    /// - Throws: ``Problem`` `unauthenticated` for a key that is none or has ended, `forbidden` for one without the
    ///   scope.
    func caller(of key: String, for request: HTTPRequest) async throws(Problem) -> Caller {
        guard case .found(let route, _) = router.match(.get, "/v1/tenant/alarms") else { throw .unknownPath }
        var headers: HTTPHeaders = ["Authorization": "Bearer \(key)"]
        if let refresh = request.header("Kith-Refresh") { headers.add("Kith-Refresh", refresh) }
        let inner = HTTPRequest(
            method: .get, path: "/v1/tenant/alarms", queryText: "", headers: headers, body: [],
            remoteAddress: request.remoteAddress, id: request.id, receivedAt: request.receivedAt)
        guard let caller = try await authorization.caller(of: inner, for: route) else {
            throw Problem(.unauthenticated)
        }
        return caller
    }

    /// Makes a call of the API for a page.
    ///
    /// - Throws: ``Problem`` as the call refuses.
    func call(
        _ call: APICall, for request: HTTPRequest, as caller: SiteCaller, client: NetworkAddress?, key: String? = nil,
        formKey: FormKey? = nil, headers more: HTTPHeaders = [:]
    ) async throws(Problem) -> HTTPResponse {
        let method = HTTPMethod(rawValue: call.method.rawValue)
        let parts = call.path.split(separator: "?", maxSplits: 1)
        var headers = more
        headers.add("Content-Type", "application/json")
        if let key, !key.isEmpty { headers.add("Idempotency-Key", key) }
        if let position = request.header("Last-Event-ID") { headers.add("Last-Event-ID", position) }
        switch caller {
        case .visitor(let slug): headers.add("X-Kith-Tenant", slug)
        case .key(let key): headers.add("Authorization", "Bearer \(key)")
        case .person: break
        }
        if let languages = request.headers.list("Accept-Language") { headers.add("Accept-Language", languages) }
        let inner = HTTPRequest(
            method: method, path: String(parts[0]), queryText: parts.count > 1 ? String(parts[1]) : "",
            headers: headers, body: call.body, remoteAddress: request.remoteAddress, id: request.id,
            receivedAt: request.receivedAt)
        guard case .found(let route, let path) = router.match(method, inner.path) else {
            // Ids in a page's address that are none lead nowhere.
            throw .unknownPath
        }
        var identity: Caller?
        switch caller {
        case .visitor, .key: identity = try await authorization.caller(of: inner, for: route)
        case .person(let session):
            guard !session.isSuspended || route.endpoint.worksWhileSuspended else { throw Problem(.tenantSuspended) }
            switch route.endpoint.caller {
            case .user: identity = session.caller
            case .open: identity = nil
            case .tenant, .key: throw Problem(fault: "a page called \(route.endpoint.path)")
            }
        }
        return try await execution.answerWithinLimits(
            Exchange(
                request: inner, route: route, path: path, client: client, caller: identity, isFromPage: true,
                formKey: formKey))
    }

    /// Adds a document to a vault, or replaces one, as a page's form sends its content. `path` is that of the API,
    /// `query` its query.
    ///
    /// - Throws: ``Problem`` as the call refuses.
    func upload(
        _ content: @escaping DocumentUpload.Content, to path: String, _ method: HTTPMethod, query: String = "",
        headers: HTTPHeaders, for request: HTTPRequest, as session: BrowserSessions.Session, client: NetworkAddress?
    ) async throws(Problem) {
        let inner = HTTPRequest(
            method: method, path: path, queryText: query, headers: headers, remoteAddress: request.remoteAddress,
            id: request.id, receivedAt: request.receivedAt)
        guard case .found(let route, let parameters) = router.match(method, path) else { throw .unknownPath }
        guard !session.isSuspended else { throw Problem(.tenantSuspended) }
        try services.shared.rates.admit(session.caller, at: request, to: route.endpoint)
        let arguments = try route.arguments(
            of: inner, path: parameters, document: nil, publicURL: services.publicURL, isFromPage: true,
            places: PlaceSealer(caller: session.caller, masterKey: services.masterKey))
        let statements = Statements(
            pool: services.pool, client: Caller.client(of: session.caller), request: request.id, transaction: nil)
        let handled = HandledRequest(
            http: inner, client: client, success: route.endpoint.success, body: nil, caller: session.caller,
            arguments: arguments, statements: statements)
        _ = try await DocumentUpload(handled, services, reading: content).answer(
            replacing: arguments.text("doc"))
    }

    /// The page about something that a notification names. What is gone, or never was the person's, leads to the
    /// messages.
    private func place(
        _ type: String, _ id: String, _ request: HTTPRequest, _ session: BrowserSessions.Session
    ) async throws(Problem) -> String {
        guard TextFormat.uuid.accepts(id) else { return MessagesScreen.path }
        if let path = Place.path(of: type, id) { return path }
        let statements = Statements(
            pool: services.pool, client: Caller.client(of: session.caller), request: request.id, transaction: nil)
        let facts = try await statements.facts(Self.placeOf, as: session.caller, [.text(type), .text(id)])
        return Place.path(of: type, facts?.root)
    }

    private static let placeOf = ProcedureCall("api.place_of", ["text", "uuid"], lane: .reads, mayUseStandby: true)

    /// The screen at a path, with the segments that its own path leaves open.
    func screen(at path: String) -> (screen: ScreenRoute, parameters: [String])? {
        guard case .found(let route, let parameters) = router.match(.get, path),
            case .site(.screen(let screen)) = route.endpoint.work
        else { return nil }
        return (screen, parameters)
    }

    static func redirect(to path: String) -> HTTPResponse {
        HTTPResponse(.seeOther, headers: ["Location": path, "Cache-Control": "no-store"])
    }

    private static func file(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
        guard let (asset, isExact) = Asset.at(request.path) else { throw .unknownPath }
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": asset.type, "X-Content-Type-Options": "nosniff",
                // Kept under the address of another release, it would stand in for that release's file for a year.
                "Cache-Control": isExact ? "public, max-age=31536000, immutable" : "no-store",
            ], body: asset.content)
    }
}

/// Tells what a person does in the web client from what their browser does by itself. Only the former is a use of Kith
/// (E03): a tab that stays open must not keep its owner alive.
enum SiteUse {
    /// Whether a person asks for a page or a file, or sends a form.
    static func isByPerson(_ request: HTTPRequest, _ route: SiteRoute) -> Bool {
        switch route {
        case .asset, .worker, .manifest, .offline, .liveSession, .liveEvents, .desk: return false
        case .front, .signIn, .signInLink, .screen, .file, .download, .place: break
        }
        guard request.method == .post || request.method == .get, request.header(refreshing) == nil,
            !request.isSpeculative
        else { return false }
        // Nor does a page that is loaded anew by its module, such as at the end of a countdown.
        guard request.headers.cookie(unasked) != "1" else { return false }
        // A check-in waits for nothing. It leads to a page, which counts.
        if request.method == .post, request.path == Site.home { return false }
        // An image or a frame in a page comes with the page.
        return request.header("Sec-Fetch-Dest").map { ["document", "empty"].contains($0) } ?? true
    }

    /// The header by which a page's module says that nobody asked for this: it brings a page up to date, or sends what
    /// was kept on the device.
    private static let refreshing = "Kith-Refresh"
    /// The cookie by which it says so of a navigation.
    private static let unasked = "kith_unasked"
}

/// As whom a page makes a call.
enum SiteCaller {
    /// Somebody who is not signed in, for the tenant of that slug.
    case visitor(String)
    /// The tenant's server, by a secret key: a person of the desk.
    case key(String)
    case person(BrowserSessions.Session)
}

extension SiteRoute {
    fileprivate var isFront: Bool { if case .front = self { true } else { false } }
}

/// Refuses forms that pages of other sites send.
enum SiteOrigin {
    /// - Throws: ``Problem`` `forbidden` if the browser says that the request comes from another site. A browser that
    ///   says nothing has to know the form's token, as any other has.
    static func check(_ request: HTTPRequest) throws(Problem) {
        if let site = request.header("Sec-Fetch-Site") {
            guard site == "same-origin" || site == "none" else { throw refusal }
        } else if let origin = request.header("Origin") {
            guard let start = origin.firstRange(of: "://")?.upperBound,
                String(origin[start...]).lowercased() == request.header("Host")?.lowercased()
            else { throw refusal }
        }
    }

    /// Refuses what only the pages of this site read: a browser says so of their requests, and no other request needs
    /// an answer.
    ///
    /// - Throws: ``Problem`` `forbidden` if the request comes from another site, or from an address that somebody
    ///   opens.
    static func checkReading(_ request: HTTPRequest) throws(Problem) {
        let site = request.header("Sec-Fetch-Site")
        guard site == nil || site == "same-origin" else {
            throw Problem(.forbidden, "Only the pages of this site read this address.")
        }
        try check(request)
    }

    /// Whether somebody opened a page of this site to read it: a browser says that a document is shown, and that this
    /// site or the person themselves led to it. A prefetch, a link on another site and a browser that says nothing are
    /// no reading. A page that is brought up to date says whether somebody sees it.
    static func isReading(_ request: HTTPRequest) -> Bool {
        guard request.method == .get, !request.isSpeculative, let site = request.header("Sec-Fetch-Site")
        else { return false }
        if let refresh = request.header("Kith-Refresh") { return site == "same-origin" && refresh == "seen" }
        return (site == "same-origin" || site == "none") && request.header("Sec-Fetch-Dest") == "document"
    }

    private static var refusal: Problem {
        Problem(.forbidden, "This form came from another site. Open this site itself and try again.")
    }
}
