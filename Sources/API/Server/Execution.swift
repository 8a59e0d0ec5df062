internal import EventLoop
internal import HTTP
internal import Identity
internal import JSON
internal import LiveEvents
internal import Postgres
internal import Problems
internal import Requests

/// Carries out the work of a request: its endpoint's procedure or handler, once for each `Idempotency-Key`.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
struct Execution {
    let services: Services
    let authenticator: Authenticator

    /// Answers a request whose caller may call the endpoint, within the caller's limits.
    func answerWithinLimits(_ exchange: Exchange) async throws(Problem) -> HTTPResponse {
        guard let caller = exchange.caller else { return try await answer(exchange) }
        let shared = services.shared
        try shared.rates.admit(caller, at: exchange.request, to: exchange.route.endpoint)
        // Tenants' servers have no concurrency limit, since they act for many users. Uploads have their own limit,
        // because they take long, and a call for help waits for nothing.
        guard !caller.user.isEmpty, !exchange.route.endpoint.streamsBody, exchange.route.endpoint.urgency != .help
        else {
            return try await answer(exchange)
        }
        try await shared.userRequests.enter(caller.user, on: services.pool.loop)
        defer { shared.userRequests.leave(caller.user) }
        return try await answer(exchange)
    }

    /// Reads the body and the arguments, does the work, and ends the sign-ins that the call ends.
    func answer(_ exchange: Exchange) async throws(Problem) -> HTTPResponse {
        let body = try RequestBody.read(exchange.request, for: exchange.route)
        let arguments = try exchange.route.arguments(
            of: exchange.request, path: exchange.path, document: body, publicURL: services.publicURL,
            isFromPage: exchange.isFromPage,
            places: PlaceSealer(caller: exchange.caller, masterKey: services.masterKey))
        let response = try await once(exchange, body) { transaction throws(Problem) in
            try await work(exchange, body, arguments, in: transaction)
        }
        // Waits for the commit. Otherwise another request could be checked in between, and its result cached again.
        if let caller = exchange.caller, let ended = exchange.route.endpoint.endedSignIns {
            await end(ended, by: caller, body, exchange.path)
        }
        return response
    }

    /// Runs `work`: in the transaction of the request's `Idempotency-Key`, unless a request with that key has been
    /// carried out before; or without a transaction if there is no key.
    private func once(
        _ exchange: Exchange, _ body: JSONDocument?,
        _ work: (PostgresTransaction?) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) -> HTTPResponse {
        let route = exchange.route
        // A handler that reads the body itself also handles the key, once it has the content's digest.
        guard route.endpoint.takesIdempotencyKey, !route.endpoint.streamsBody, let caller = exchange.caller,
            let key = try IdempotencyKey(of: exchange.request, isForgiving: route.endpoint.isForgiving)
        else { return try await work(nil) }
        let isImport = route.endpoint.isImport
        if isImport { try await services.shared.imports.enter(caller.tenant, on: services.pool.loop) }
        defer { if isImport { services.shared.imports.leave(caller.tenant) } }
        return try await services.idempotency.once(
            key, exchange.request, by: caller, right: route.endpoint.repeatRight?.name(for: body),
            holdsSecret: route.endpoint.answerHoldsSecret, work)
    }

    private func work(
        _ exchange: Exchange, _ body: JSONDocument?, _ arguments: Arguments, in transaction: PostgresTransaction?
    ) async throws(Problem) -> HTTPResponse {
        let (caller, success) = (exchange.caller, exchange.route.endpoint.success)
        let statements = Statements(
            pool: services.pool, client: Caller.client(of: caller), request: exchange.request.id,
            transaction: transaction)
        do throws(Problem) {
            if case .handler(let handler, _) = exchange.route.endpoint.work {
                return try await handler(
                    HandledRequest(
                        http: exchange.request, client: exchange.client, success: success, body: body, caller: caller,
                        arguments: arguments, statements: statements, formKey: exchange.formKey,
                        isFromPage: exchange.isFromPage), services)
            }
            guard let call = exchange.route.call else { throw Problem(fault: "an endpoint without a procedure") }
            return try Answer.response(
                try await statements.run(call, as: caller, arguments.values), success: success)
        } catch {
            // The database knows that the account has ended, which the cache does not know yet.
            if error.code == .unauthenticated, let caller, !caller.user.isEmpty { authenticator.forget(caller.user) }
            throw error
        }
    }

    /// Discards cached tokens of ended sign-ins on every loop, and ends their event streams; or discards an ended key.
    private func end(_ ended: Endpoint.EndedSignIns, by caller: Caller, _ body: JSONDocument?, _ path: [String]) async {
        let signOuts = services.shared.signOuts
        switch ended {
        case .asked where !Sessions.isEverywhere(body):
            guard let session = caller.session else { return }
            await signOuts.tell(.signIn(session, user: caller.user, tenantID: caller.tenantID))
        case .all, .asked: await signOuts.tell(.user(caller.user, tenantID: caller.tenantID))
        case .key: await signOuts.tell(.key(path[0].lowercased()))
        case .named: await signOuts.tell(.user(path[0].lowercased(), tenantID: caller.tenantID))
        }
    }
}
