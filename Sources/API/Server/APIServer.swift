internal import Crypto
public import EventLoop
public import HTTP
internal import Identity
internal import KithCountries
internal import LiveEvents
internal import Logging
internal import NetworkAddresses
internal import Pages
public import Postgres
internal import Problems
internal import Requests
internal import Texts
internal import Web

/// Kith's HTTP API on one event loop: routing, authentication, limits and errors. The database holds the product's
/// rules. A request becomes one procedure call there, and the call's JSON goes to the client unchanged. A server with
/// several loops has one for each.
///
/// `@unchecked Sendable`: its functions alone use its state, on the thread of the pool's loop, which they check or the
/// pool checks. What the loops of a server share is in ``SharedState``.
public final class APIServer: @unchecked Sendable {
    private let services: Services
    private let instance: String
    private let router: Router<PreparedRoute>
    private let authorization: Authorization
    private let execution: Execution
    private let crossOrigin: CrossOrigin
    private let site: SiteServer
    private var coding = AnswerCoding()
    private let shared: SharedState
    /// From how many microseconds on a request is logged. An upload takes as long as its client.
    private static let slow: Int64 = 1_000_000
    private var counters = RequestCounters(endpoints: Endpoint.served.count)
    private var usage = Usage()

    /// Creates an API over `pool`, whose connections belong to the role `kith_api`. All loops of a server have the same
    /// `shared`.
    public init(pool: PostgresPool, configuration: APIConfiguration, shared: SharedState) {
        self.shared = shared
        instance = configuration.instance
        services = Services(pool: pool, configuration: configuration, shared: shared)
        let authenticator = Authenticator(
            pool: pool, masterKey: configuration.masterKey, sessions: shared.credentials)
        authorization = Authorization(authenticator: authenticator)
        execution = Execution(services: services, authenticator: authenticator)
        crossOrigin = CrossOrigin(pool: pool)
        var router = Router<PreparedRoute>()
        for (index, endpoint) in Endpoint.served.enumerated() {
            router.add(endpoint.method, endpoint.path, PreparedRoute(endpoint, index: index))
        }
        self.router = router
        site = SiteServer(services: services, authorization: authorization, execution: execution, router: router)
        shared.signOuts.listen(on: pool.loop) { [self] in forget($0) }
    }

    /// The board from which the status page is made.
    var status: StatusBoard { services.status }

    /// Answers a request. It never throws: every refusal and failure becomes a problem document or a page.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        await answer(request, leavesMoving: false) ?? Self.unanswered(request)
    }

    /// Answers a request, unless its tenant is being moved to another cell, which can answer it. Then nothing was done
    /// here.
    func respondUnlessMoving(to request: HTTPRequest) async -> HTTPResponse? {
        await answer(request, leavesMoving: true)
    }

    private static func unanswered(_ request: HTTPRequest) -> HTTPResponse {
        Problem(.unavailable).response(requestID: request.id)
    }

    /// Answers a request, step by step. With `leavesMoving`, nil if the tenant is being moved.
    private func answer(_ request: HTTPRequest, leavesMoving: Bool) async -> HTTPResponse? {
        let match = router.match(request.method, request.path)
        var route: PreparedRoute?
        switch match {
        case .found(let found, _): route = found
        case .invalidParameter(let found, _):
            // A page whose link is broken is unknown to the person who follows it.
            switch found.endpoint.work {
            case .resource, .site: break
            case .procedure, .handler: route = found
            }
        case .methodNotAllowed, .notFound: break
        }
        var caller: Caller?
        var response: HTTPResponse
        do throws(Problem) {
            // The rate limit comes first, since refused requests cost something too.
            let client = try shared.rates.admit(request, to: route, thing: SignReport.thing(match))
            switch match {
            case .notFound where request.method == .options && request.path == "*": response = Self.options
            case .notFound: throw .unknownPath
            case .invalidParameter(_, let index):
                throw route.map { Self.problem(ofParameter: index, of: $0) } ?? .unknownPath
            case .methodNotAllowed(let methods): response = try await crossOrigin.preflight(request, methods: methods)
            case .found(let route, let path):
                if route.endpoint.checksHeader {
                    try AcceptHeader.check(request, for: route)
                    try StoringHeaders.check(request, for: route)
                }
                switch route.endpoint.work {
                case .resource(let answer, _):
                    response = try await answer(ResourceRequest(http: request, path: path), services)
                case .site(let page): response = try await site.answer(request, page, path, client: client)
                case .procedure, .handler:
                    caller = try await authorization.caller(of: request, for: route)
                    response = try await execution.answerWithinLimits(
                        Exchange(request: request, route: route, path: path, client: client, caller: caller))
                }
            }
        } catch {
            if leavesMoving, error.isOfMovingTenant { return nil }
            response = await refuse(request, for: route, error, caller)
        }
        await crossOrigin.open(&response, to: request, tenantID: caller?.tenantID)
        coding.encode(&response, to: request, for: route?.endpoint)
        let microseconds = services.pool.loop.clock.now - request.receivedAt
        counters.count(endpoint: route?.index, status: response.status.rawValue, microseconds: microseconds)
        let isSlow = microseconds >= Self.slow && route.map { !$0.endpoint.streamsBody } ?? false
        if let caller { usage.count(caller, status: response.status.rawValue, isSlow: isSlow) }
        if isSlow, let route {
            Log.warning(
                "a request was slow",
                [
                    "request_id": request.id, "tenant": caller?.slug ?? "", "caller": caller?.logName ?? "",
                    "method": request.method.rawValue, "endpoint": route.endpoint.path,
                    "status": "\(response.status.rawValue)", "milliseconds": "\(microseconds / 1000)",
                ])
        }
        return response
    }

    /// The answer to `OPTIONS *`, which asks about the server as a whole (RFC 9110 §9.3.7).
    private static let options: HTTPResponse = {
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        return HTTPResponse(.noContent, headers: ["Allow": methods.map(\.rawValue).joined(separator: ", ")])
    }()

    /// The problem with a parameter of the path.
    private static func problem(ofParameter index: Int, of route: PreparedRoute) -> Problem {
        let names = route.endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }
        return .invalid(String(names[index].dropFirst().dropLast()), ArgumentReader.encoding)
    }

    /// The response for `problem` in the language of its reader: a page for people, otherwise a problem document. A
    /// fault is logged.
    private func refuse(
        _ request: HTTPRequest, for route: PreparedRoute?, _ problem: Problem, _ caller: Caller?
    ) async -> HTTPResponse {
        if let fault = problem.fault {
            Log.error(
                fault,
                [
                    "request_id": request.id, "tenant": caller?.slug ?? "", "caller": caller?.logName ?? "",
                    "method": request.method.rawValue, "endpoint": route?.endpoint.path ?? "",
                ])
        }
        // At an unknown address, browsers get a page.
        let isForPerson =
            route.map { $0.endpoint.answerType == .html } ?? AcceptHeader(request.headers.list("Accept")).isBrowser
        let texts = await services.answerTexts.texts(for: request, caller?.wording)
        // The page must not suggest to a person who calls for help that somebody knows (K13).
        let first: HTML = route.map { Self.callsForHelp($0.endpoint) } == true ? EmergencyNumber.first(texts) : ""
        var response =
            isForPerson
            ? Page(problem, texts, first: first).response() : problem.worded(texts).response(requestID: request.id)
        if route == nil { response.headers.add("Vary", "Accept") }
        return response
    }

    /// Whether a page has a button that calls for help, or leads to one.
    private static func callsForHelp(_ endpoint: Endpoint) -> Bool {
        endpoint.path == HelpScreen.path || endpoint.path == "/c/{token}"
    }

    /// Counts a request against the rate limits before its cell is known, as one that will be counted again.
    ///
    /// - Throws: ``Problem`` `too_many_requests`.
    func admit(_ request: HTTPRequest) throws(Problem) {
        let match = router.match(request.method, request.path)
        var route: PreparedRoute?
        if case .found(let found, _) = match { route = found }
        _ = try shared.rates.admit(request, to: route, thing: SignReport.thing(match))
    }

    /// Refuses a request whose cell is not known, or cannot be reached. The status page says just that.
    func refuse(_ request: HTTPRequest, _ problem: Problem) async -> HTTPResponse {
        if StatusPage.isAt(request.path), problem.code == .unavailable, (try? admit(request)) != nil {
            return await StatusPage.unreachable(request, services)
        }
        var route: PreparedRoute?
        if case .found(let found, _) = router.match(request.method, request.path) { route = found }
        let response = await refuse(request, for: route, problem, nil)
        let microseconds = services.pool.loop.clock.now - request.receivedAt
        counters.count(endpoint: route?.index, status: response.status.rawValue, microseconds: microseconds)
        return response
    }

    /// Ends the event streams of a tenant that another cell serves from now on. Its clients connect again, and reach
    /// that cell.
    func endStreams(of tenantID: Int) {
        services.pool.loop.preconditionCurrent()
        services.events.end(ofTenant: tenantID)
    }

    /// Discards cached results about what has ended, and ends its event streams.
    private func forget(_ ended: SignOuts.Ended) {
        services.pool.loop.preconditionCurrent()
        switch ended {
        case .signIn(let session, let user, let tenantID):
            execution.authenticator.forget(session)
            site.sessions.forget(session)
            services.events.end(of: EventReader(tenantID: tenantID, user: user), session: session)
        case .user(let user, let tenantID):
            execution.authenticator.forget(user)
            site.sessions.forget(user)
            services.events.end(of: EventReader(tenantID: tenantID, user: user))
        case .key(let key): execution.authenticator.forget(key)
        }
    }

    /// Reports to the database every 5 seconds, until the task is cancelled, that this server can take check-ins.
    /// `others` are those of the server's other loops. `setsClock` makes the process take its time from the
    /// database.
    public func beat(on loop: EventLoop, with others: [APIServer], setsClock: Bool = false) async {
        await heartbeat(with: others, setsClock: setsClock).run(on: loop)
    }

    private func heartbeat(with others: [APIServer], setsClock: Bool = false) -> Heartbeat {
        Heartbeat(
            pools: ([self] + others).map(\.services.pool), instance: instance, version: services.version,
            setsClock: setsClock)
    }

    /// Records the requests of each tenant every minute, until the task is cancelled; then the last ones, and that this
    /// server has stopped. `others` are those of the server's other loops.
    public func recordUsage(with others: [APIServer]) async {
        let reporter = UsageReporter([self] + others, pool: services.pool)
        await reporter.run()
        // The task is cancelled, and a query of a cancelled task would not be sent.
        await Task(executorPreference: loop) { await reporter.report() }.value
    }

    /// Records that this server has stopped by itself.
    public func endBeating() async {
        await heartbeat(with: []).end()
    }

    /// The loop on which this server runs.
    var loop: EventLoop { services.pool.loop }

    /// Returns what has been counted since the last time.
    func takeUsage() -> Usage {
        loop.preconditionCurrent()
        defer { usage = Usage() }
        return usage
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

    private static let bodyRules = Endpoint.served.reduce(into: Router<HTTPBodyRule>()) { rules, endpoint in
        rules.add(endpoint.method, endpoint.path, endpoint.bodyRule)
    }

    /// What this loop has counted. `http` has the metrics of its HTTP server.
    public func sample(http: HTTPServerMetrics) -> ServerSample {
        let pool = services.pool
        pool.loop.preconditionCurrent()
        return ServerSample(
            counters: counters, http: http, events: services.events.metrics,
            lanes: PostgresLane.allCases.map(pool.status), standby: pool.standbyStatus)
    }

    /// The metrics in Prometheus' text format. `sample` is the sum over the server's loops and cells, and `cells` says
    /// which can be reached. What the database counts is of this server's cell.
    public func metrics(_ sample: ServerSample, cells: [(cell: String, isUp: Bool)] = []) async -> [UInt8] {
        let ages = await services.readiness.ages.answer()
        let deliveries = await services.readiness.deliveries.answer()
        let emergencies = await services.readiness.emergencies.answer()
        let alarms = await services.readiness.alarms.answer()
        let canaries = await services.readiness.canaries.answer()
        let retention = await services.readiness.retention.answer()
        let setAside = await services.readiness.setAside.answer()
        return MetricsText.write(
            version: services.version, sample, isUp: ages != nil || services.readiness.ages.isHeldUp, ages: ages,
            deliveries: deliveries, emergencies: emergencies, alarms: alarms, canaries: canaries,
            retention: retention, setAside: setAside, cells: cells)
    }
}
