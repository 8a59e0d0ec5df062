package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Makes the requests of calls to one server, and sends them again where that is safe.
package struct HTTPExchange: Sendable {
    /// The server's address.
    package let server: URL
    /// The tenant's short name.
    package let tenant: String
    /// Whether a request with a token names the tenant, too. The server refuses a token of another tenant.
    private let namesTenant: Bool
    private let policy: RetryPolicy

    /// Creates the exchange with a server.
    package init(server: URL, tenant: String, namesTenant: Bool = false, policy: RetryPolicy = RetryPolicy()) {
        self.server = server
        self.tenant = tenant
        self.namesTenant = namesTenant
        self.policy = policy
    }

    /// Sends the request of a call until there is an answer that is no refusal.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - key: The call's `Idempotency-Key`; nil for a new one.
    ///   - policy: When it is sent again; nil for the policy of the exchange.
    ///   - token: Gives the token for a try. Its argument is the token that the server has refused; nil for the first.
    ///   - isRenewable: Whether there may be another token after a refused one.
    ///   - hear: Is told of each answer that comes from Kith, a refusal or not.
    ///   - sleep: Waits before another try.
    ///   - send: Sends a request. It gives the answer, which may lack its body if it is no refusal, and the result.
    /// - Returns: The result of `send`.
    /// - Throws: ``KithProblem`` for a refusal and for a server that cannot be reached, what `token` throws, and
    ///   `CancellationError` if the task is cancelled.
    package func make<Answer, Response>(
        _ call: KithCall<Answer>, key: String? = nil, policy: RetryPolicy? = nil,
        token: (_ rejected: String?) async throws -> String?, isRenewable: Bool = false,
        hear: (KithAnswer) -> Void = { _ in }, sleep: (TimeInterval) async throws -> Void,
        send: (URLRequest) async throws -> (KithAnswer, Response)
    ) async throws -> Response {
        let policy = policy ?? self.policy
        let key = call.takesIdempotencyKey ? key ?? UUID().uuidString : nil
        var rejected: String?
        var tries = 0
        while true {
            try Task.checkCancellation()
            let failure: RetryPolicy.Failure
            do {
                let token = try await token(rejected)
                tries += 1
                let (answer, response) = try await send(request(call, token: token, key: key))
                guard let problem = KithProblem(answer, to: call.accept) else {
                    hear(answer)
                    return response
                }
                if problem.code != .notFromKith { hear(answer) }
                if isRenewable, problem.code.rawValue == "unauthenticated", rejected == nil {
                    rejected = token
                    continue
                }
                failure = RetryPolicy.Failure(problem: problem, mayHaveArrived: true)
            } catch let error as URLError {
                failure = RetryPolicy.Failure(problem: KithProblem(error), mayHaveArrived: !error.wasNotSent)
            } catch is CancellationError where !Task.isCancelled {
                // The system has cancelled the request, and nobody the call.
                failure = RetryPolicy.Failure(problem: KithProblem(URLError(.cancelled)), mayHaveArrived: true)
            }
            let wait = policy.wait(
                after: failure, tries: tries, isRepeatable: call.isRepeatable, jitter: .random(in: 0...1))
            guard let wait else { throw failure.problem }
            try await sleep(wait)
        }
    }

    private func request<Answer>(_ call: KithCall<Answer>, token: String?, key: String?) throws -> URLRequest {
        let base = server.absoluteString
        let query = call.query.map { "\(KithCalls.segment($0.name))=\(KithCalls.segment($0.value))" }
            .joined(separator: "&")
        let address =
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + call.path + (query.isEmpty ? "" : "?\(query)")
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        if let timeout = call.timeout { request.timeoutInterval = timeout }
        request.setValue(call.accept, forHTTPHeaderField: "Accept")
        if call.credential == .tenant || namesTenant && token != nil {
            request.setValue(tenant, forHTTPHeaderField: "X-Kith-Tenant")
        }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        switch call.body {
        case .json(let body):
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        case .content(let body, let type):
            request.httpBody = body
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        case nil: break
        }
        return request
    }
}
