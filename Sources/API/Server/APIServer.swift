internal import Crypto
public import EventLoop
public import HTTP
internal import Logging
public import Postgres

/// Kith's HTTP API on one event loop: routing, authentication, limits and errors. The database holds the product's rules. A request becomes
/// one procedure call there, and the call's JSON goes to the client unchanged.
///
/// `@unchecked Sendable`: ``respond(to:)``, ``beat(on:)`` and ``metrics(http:)`` alone use its state, on the thread of the pool's loop,
/// which the pool checks.
public final class APIServer: @unchecked Sendable {
    private let pool: PostgresPool
    private let instance: String
    private let authenticator: Authenticator
    private let handlers: Handlers
    private let invitationPages: InvitationPages
    private let publicURL: String
    private let version: String
    private let openAPI: [UInt8]
    private let proxies: TrustedProxies
    private let router: Router<PreparedRoute>
    private let readiness: Readiness
    private let idempotency: Idempotency
    private let crossOrigin: CrossOrigin
    private let userRequests: ConcurrencyLimiter<String>
    private let imports: ConcurrencyLimiter<Int>
    private let events: EventHub
    private var limits: Limits
    private var counters = RequestCounters(endpoints: Endpoint.all.count)

    /// Creates an API over `pool`, whose connections belong to the role `kith_api`.
    ///
    /// - Throws: ``APIConfigurationError`` for a trusted proxy that is not an address block.
    public init(pool: PostgresPool, configuration: APIConfiguration) throws(APIConfigurationError) {
        self.pool = pool
        instance = configuration.instance
        authenticator = Authenticator(pool: pool, masterKey: configuration.masterKey)
        publicURL = configuration.publicURL
        version = configuration.version
        openAPI = OpenAPIDocument.text(version: version)
        invitationPages = InvitationPages(pool: pool, masterKey: configuration.masterKey, publicURL: publicURL)
        proxies = TrustedProxies(networks: try APIConfiguration.networks(configuration.trustedProxies))
        limits = Limits(configuration)
        readiness = Readiness(pool: pool)
        idempotency = Idempotency(pool: pool, masterKey: configuration.masterKey)
        events = EventHub(
            pool: pool,
            limits: StreamLimits(most: configuration.streams, mostFromAddress: configuration.addressStreams))
        handlers = Handlers(
            masterKey: configuration.masterKey, publicURL: configuration.publicURL, idempotency: idempotency,
            events: events)
        crossOrigin = CrossOrigin(pool: pool)
        userRequests = ConcurrencyLimiter(loop: pool.loop, limit: 4, queueLimit: 256, timeout: .seconds(2))
        imports = ConcurrencyLimiter(loop: pool.loop, limit: 1, queueLimit: 8, timeout: .seconds(10))
        var router = Router<PreparedRoute>()
        for (index, endpoint) in Endpoint.all.enumerated() {
            router.add(endpoint.method, endpoint.path, PreparedRoute(endpoint, index: index))
        }
        self.router = router
    }

    /// Answers a request. It never throws: every refusal and failure becomes a problem document or a page.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        var endpoint: Int?
        var tenantID: Int?
        var response: HTTPResponse
        do throws(Problem) {
            response = try await answer(request, &endpoint, &tenantID)
        } catch {
            if let fault = error.fault {
                Log.error(
                    fault,
                    [
                        "request_id": request.id, "method": request.method.rawValue,
                        "endpoint": endpoint.map { Endpoint.all[$0].path } ?? "",
                    ])
            }
            response = isForPerson(request, endpoint) ? Page(error).response() : error.response(requestID: request.id)
            if endpoint == nil { response.headers.add("Vary", "Accept") }
        }
        await crossOrigin.open(&response, to: request, tenantID: tenantID)
        counters.count(
            endpoint: endpoint, status: response.status.rawValue, microseconds: pool.loop.clock.now - request.receivedAt
        )
        return response
    }

    /// Whether a refusal is shown as a page: at the endpoints of pages, and to browsers at unknown addresses.
    private func isForPerson(_ request: HTTPRequest, _ endpoint: Int?) -> Bool {
        if let endpoint { return Endpoint.all[endpoint].answerType == .html }
        return AcceptHeader(request.headers.list("Accept")).isBrowser
    }

    /// Reports to the database every 5 seconds, until the task is cancelled, that this server can take check-ins.
    public func beat(on loop: EventLoop) async {
        await Heartbeat(pool: pool, instance: instance).run(on: loop)
    }

    /// The problem document for a refusal by the HTTP server.
    public static func response(to refusal: HTTPRefusal, requestID: String) -> HTTPResponse {
        Problem(refusal).response(requestID: requestID)
    }

    /// The request headers that must not occur twice with different values (RFC 9110, section 5.3).
    public static let singleFields = [
        "Authorization", "Content-Type", "Content-Range", "Cookie", "Idempotency-Key", "If-Range", "Last-Event-ID",
        "Origin", "Range", "X-Kith-Tenant", "X-Request-Id", "Access-Control-Request-Method",
    ]

    /// The body limit in bytes for requests that match no endpoint.
    public static let usualBody = Endpoint.usualBody

    /// The body rule for a request; nil if it matches no endpoint.
    @Sendable public static func bodyRule(_ method: HTTPMethod, _ path: String) -> HTTPBodyRule? {
        guard case .found(let rule, _) = bodyRules.match(method, path) else { return nil }
        return rule
    }

    private static let bodyRules = Endpoint.all.reduce(into: Router<HTTPBodyRule>()) { rules, endpoint in
        rules.add(endpoint.method, endpoint.path, endpoint.bodyRule)
    }

    /// The metrics in Prometheus' text format. `http` has those of the HTTP server.
    public func metrics(http: HTTPServerMetrics) async -> [UInt8] {
        let ages = await readiness.ages.answer()
        let deliveries = await readiness.deliveries.answer()
        return MetricsText.write(
            version: version, counters, pool: pool, http: http, events: events.metrics, ages: ages,
            deliveries: deliveries)
    }

    private func answer(
        _ request: HTTPRequest, _ index: inout Int?, _ tenantID: inout Int?
    ) async throws(Problem) -> HTTPResponse {
        let now = Double(request.receivedAt) / 1_000_000
        let match = router.match(request.method, request.path)
        // Set before anything is refused, because a page's refusals are pages.
        if case .found(let route, _) = match { index = route.index }
        // The rate limit comes first, since refused requests cost something too.
        let client = request.path == "/livez" ? nil : try admitClient(of: request)
        switch match {
        case .notFound:
            var problem = Problem(.notFound, "There is no such path; /openapi.json lists them.")
            problem.detailForPerson = "There is no page at this address. Please check the link that brought you here."
            throw problem
        case .methodNotAllowed(let methods):
            if let answer = try await crossOrigin.preflight(request, methods: methods) { return answer }
            var problem = Problem(.methodNotAllowed)
            problem.allow = methods
            problem.detailForPerson = "This address is for apps and servers, and cannot be opened like this."
            throw problem
        case .found(let route, let parameters):
            let endpoint = route.endpoint
            let types = [endpoint.answerType] + (endpoint.otherAnswerType.map { [$0] } ?? [])
            guard
                endpoint.answer == nil || endpoint.answerType == .content
                    || AcceptHeader(request.headers.list("Accept")).allows(anyOf: types)
            else {
                let names = types.map(\.rawValue).joined(separator: " or ")
                throw Problem(.notAcceptable, "This call answers with \(names).")
            }
            if endpoint.isSignIn { try limits.admitSignIn(client, at: now) }
            if let response = try await answerForAnybody(route, request, parameters) { return response }
            let caller = try await caller(of: request, for: endpoint)
            tenantID = caller?.tenantID
            if let caller { try limits.admit(caller, at: now) }
            // Tenants' servers have no concurrency limit, since they act for many users. Uploads have their own limit, because they take
            // long.
            let user = endpoint.streamsBody ? "" : caller?.user ?? ""
            if !user.isEmpty { try await userRequests.enter(user) }
            defer { if !user.isEmpty { userRequests.leave(user) } }
            let document = endpoint.streamsBody ? nil : try body(of: request, for: endpoint)
            let values = try route.parameters(
                of: request, path: parameters, document: document, caller: caller,
                publicURL: publicURL)
            let response: HTTPResponse
            // A handler that reads the body itself also handles the key, once it has the content's digest.
            if endpoint.takesIdempotencyKey, !endpoint.streamsBody, let caller,
                let key = try IdempotencyKey(of: request)
            {
                // An import in one transaction runs thousands of statements. Two at once would take both processors from everybody else.
                let importer = endpoint.isImport ? caller.tenantID : nil
                if let importer { try await imports.enter(importer) }
                defer { if let importer { imports.leave(importer) } }
                response = try await idempotency.once(
                    key, request, by: caller, holdsSecret: endpoint.answerHoldsSecret
                ) { transaction throws(Problem) in
                    try await work(route, values, document, caller, request, from: client, in: transaction)
                }
            } else {
                response = try await work(route, values, document, caller, request, from: client, in: nil)
            }
            // Waits for the commit. Otherwise another request could be checked in between, and its result cached again.
            if let caller, let ended = endpoint.endedSignIns {
                end(ended, by: caller, document, parameters)
            }
            return response
        }
    }

    /// Discards cached tokens of ended sign-ins, and ends their event streams.
    private func end(_ ended: Endpoint.EndedSignIns, by caller: Caller, _ body: JSONDocument?, _ path: [String]) {
        switch ended {
        case .asked where !Sessions.isEverywhere(body):
            guard let session = caller.session else { return }
            authenticator.forget(session)
            events.end(of: EventReader(tenantID: caller.tenantID, user: caller.user), session: session)
        case .all, .asked:
            authenticator.forget(caller.user)
            events.end(of: EventReader(tenantID: caller.tenantID, user: caller.user))
        case .named:
            let user = path[0].lowercased()
            authenticator.forget(user)
            events.end(of: EventReader(tenantID: caller.tenantID, user: user))
        }
    }

    /// The client's address, if its rate limit admits the request.
    private func admitClient(of request: HTTPRequest) throws(Problem) -> NetworkAddress? {
        let client = proxies.client(peer: request.remoteAddress, forwardedFor: request.headers.list("X-Forwarded-For"))
        try limits.admit(client, at: Double(request.receivedAt) / 1_000_000)
        return client
    }

    /// Carries out the endpoint's work, in its own transaction or in `transaction`.
    private func work(
        _ route: PreparedRoute, _ values: [PostgresValue], _ document: JSONDocument?, _ caller: Caller?,
        _ request: HTTPRequest, from client: NetworkAddress?, in transaction: PostgresTransaction?
    ) async throws(Problem) -> HTTPResponse {
        let statements = Statements(pool: pool, client: Caller.client(of: caller), transaction: transaction)
        do throws(Problem) {
            if case .handler(let handler, _) = route.endpoint.work {
                return try await handlers.answer(
                    handler,
                    HandledRequest(
                        http: request, client: client, endpoint: route.endpoint, body: document, caller: caller,
                        values: values,
                        statements: statements))
            }
            guard let call = route.call else { throw Problem(fault: "an endpoint without a procedure") }
            return try Answer.response(try await statements.run(call, values), success: route.endpoint.success)
        } catch {
            // The database knows that the account has ended, which the cache does not know yet.
            if error.code == .unauthenticated, let caller, !caller.user.isEmpty { authenticator.forget(caller.user) }
            throw error
        }
    }

    /// Answers pages and the server's own endpoints; nil for all others.
    private func answerForAnybody(
        _ route: PreparedRoute, _ request: HTTPRequest, _ path: [String]
    ) async throws(Problem) -> HTTPResponse? {
        switch route.endpoint.work {
        case .liveness: return Answer.jsonResponse(.ok, Array(#"{"status":"ok"}"#.utf8))
        case .readiness: return try await readiness.response()
        case .openAPI: return Answer.jsonResponse(.ok, openAPI)
        case .reference: return ReferencePage.response
        case .joinPage:
            return try JoinPage(request, try await PageTenant.of(request, pool, publicURL: publicURL)).response()
        case .invitationPage: return try await invitationPages.show(request, path[0])
        case .invitationForm:
            try checkType(of: request, for: route.endpoint)
            return try await invitationPages.submit(request, path[0])
        case .appSiteAssociation:
            return try AppSiteAssociation.response(of: try await PageTenant.of(request, pool, publicURL: publicURL))
        case .procedure, .handler: return nil
        }
    }

    /// The request's caller; nil if the endpoint requires none.
    ///
    /// - Throws: ``Problem`` if the caller may not call the endpoint.
    private func caller(of request: HTTPRequest, for endpoint: Endpoint) async throws(Problem) -> Caller? {
        switch endpoint.caller {
        case .open: return nil
        case .tenant: return try await authenticator.visitor(of: request, at: request.receivedAt)
        case .user, .key:
            let caller = try await authenticator.caller(of: request, at: request.receivedAt)
            try authorize(caller, for: endpoint)
            return caller
        }
    }

    private func authorize(_ caller: Caller, for endpoint: Endpoint) throws(Problem) {
        switch (endpoint.caller, caller.kind) {
        case (.user, .user), (.open, _), (.tenant, _): return
        case (.key(let scope), .key(_, let scopes)):
            guard scopes.contains("all") || scopes.contains(scope) else {
                throw Problem(.forbidden, "This key lacks the scope \(scope).")
            }
        case (.user, _):
            throw Problem(.forbidden, "This call is for users: send an access token, not a secret key.")
        case (.key, _):
            throw Problem(.forbidden, "This call is for the tenant's server: send a secret key, not an access token.")
        }
    }

    /// The body, parsed and valid according to the endpoint's schema; nil if there is none, or if it is not a single JSON text.
    private func body(of request: HTTPRequest, for endpoint: Endpoint) throws(Problem) -> JSONDocument? {
        try checkType(of: request, for: endpoint)
        guard endpoint.bodyType == .json else { return nil }
        guard !request.body.isEmpty else {
            guard let schema = endpoint.body else { return nil }
            return try checked(Array("{}".utf8), schema, maximumValues: endpoint.maximumValues)
        }
        return try checked(request.body, endpoint.body ?? .object([]), maximumValues: endpoint.maximumValues)
    }

    /// - Throws: ``Problem`` `unsupported_media_type` if the body is in another format than the endpoint's.
    private func checkType(of request: HTTPRequest, for endpoint: Endpoint) throws(Problem) {
        guard !request.body.isEmpty, let type = request.header("Content-Type") else { return }
        let essence = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard essence == endpoint.bodyType.rawValue else {
            throw Problem(.unsupportedMediaType, "Send the body as \(endpoint.bodyType.rawValue).")
        }
    }

    private func checked(
        _ bytes: [UInt8], _ schema: JSONSchema, maximumValues: Int
    ) throws(Problem) -> JSONDocument {
        let document = try JSONDocument(bytes, maximumValues: maximumValues)
        var errors: [Problem.FieldError] = []
        schema.check(document.root, at: "", into: &errors)
        guard errors.isEmpty else { throw Problem(.validationFailed, errors: errors) }
        return document
    }
}
