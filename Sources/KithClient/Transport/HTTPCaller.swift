import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries out calls over HTTP: with the token of the sign-in with which they begin, and again where that is safe.
final class HTTPCaller: StreamingCaller {
    let server: URL
    let tenant: String
    let sessions: SessionKeeper
    let wake = WakeSignal()
    private let key: String?
    private let renewToken: (@Sendable () async throws -> String)?
    private let transport: HTTPTransport
    private let policy: RetryPolicy
    /// Whether the server is being told of ended sign-ins.
    private let isRevoking = Locked(false)

    init(
        server: URL, tenant: String, sessions: SessionKeeper, key: String? = nil,
        renewToken: (@Sendable () async throws -> String)? = nil, transport: HTTPTransport = HTTPTransport(),
        policy: RetryPolicy = RetryPolicy()
    ) {
        self.server = server
        self.tenant = tenant
        self.sessions = sessions
        self.key = key
        self.renewToken = renewToken
        self.transport = transport
        self.policy = policy
    }

    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer {
        try await read(call) { try await self.transport.send($0) }
    }

    /// The answer to a call of one sign-in, which may have ended. `key` is the call's `Idempotency-Key`.
    func answer<Answer>(to call: KithCall<Answer>, as signIn: UUID, key: String, policy: RetryPolicy) async throws
        -> Answer
    {
        try await read(call, as: signIn, key: key, policy: policy) { try await self.transport.send($0) }
    }

    private func read<Answer>(
        _ call: KithCall<Answer>, as signIn: UUID? = nil, key: String? = nil, policy: RetryPolicy? = nil,
        _ send: (URLRequest) async throws -> KithAnswer
    ) async throws -> Answer {
        let answer = try await exchange(call, as: signIn, key: key, policy: policy) { request in
            let answer = try await send(request)
            return (answer, answer)
        }
        do {
            return try call.decode(answer)
        } catch is DecodingError {
            throw KithProblem(unreadable: answer)
        }
    }

    /// Makes a call whose response arrives piece by piece, and is tried again until the response begins. `file` is sent
    /// as the body, and `onProgress` gets the number of its bytes that have been sent, from zero with each try.
    ///   - signIn: The sign-in that the call belongs to; the present one if it is nil.
    func open<Answer>(
        _ call: KithCall<Answer>, as signIn: UUID?, uploading file: URL?, onProgress: (@Sendable (Int64) -> Void)?
    ) async throws -> StreamedAnswer {
        // The reader of events connects again by itself.
        let policy = call.accept == "text/event-stream" ? RetryPolicy(tries: 1) : nil
        return try await exchange(call, as: signIn, policy: policy) { request in
            let first = URLRequest(url: self.server.appending(path: "livez"))
            let response = try await self.transport.open(request, after: first, file: file, onSent: onProgress)
            let isRefusal = !(200..<300).contains(response.status)
            let body = isRefusal ? try await response.whole().body : Data()
            return (KithAnswer(status: response.status, headers: response.headers, body: body), response)
        }
    }

    /// Sends the request of a call until there is an answer that is no refusal.
    private func exchange<Answer, Response>(
        _ call: KithCall<Answer>, as signIn: UUID? = nil, key: String? = nil, policy: RetryPolicy? = nil,
        _ send: (URLRequest) async throws -> (KithAnswer, Response)
    ) async throws -> Response {
        let policy = policy ?? self.policy
        let key = call.takesIdempotencyKey ? key ?? UUID().uuidString : nil
        let signIn = call.credential == .user ? signIn ?? sessions.credentials?.signIn : nil
        if call.credential == .user, signIn == nil { throw KithProblem.signedOut }
        var rejected: String?
        var tries = 0
        while true {
            try Task.checkCancellation()
            let failure: RetryPolicy.Failure
            do {
                let token = try await credential(of: call, signIn, rejecting: rejected)
                tries += 1
                let (answer, response) = try await send(request(call, token: token, key: key))
                guard let problem = KithProblem(answer, to: call.accept) else {
                    hear(answer)
                    return response
                }
                if problem.code != .notFromKith { hear(answer) }
                if signIn != nil, problem.code.rawValue == "unauthenticated", rejected == nil {
                    rejected = token
                    continue
                }
                failure = RetryPolicy.Failure(problem: problem, mayHaveArrived: true)
            } catch let error as URLError {
                failure = RetryPolicy.Failure(problem: KithProblem(error), mayHaveArrived: !error.wasNotSent)
            }
            let wait = policy.wait(
                after: failure, tries: tries, isRepeatable: call.isRepeatable, jitter: .random(in: 0...1))
            guard let wait else { throw failure.problem }
            try await wake.sleep(for: wait)
        }
    }

    private func credential<Answer>(of call: KithCall<Answer>, _ signIn: UUID?, rejecting rejected: String?)
        async throws -> String?
    {
        switch call.credential {
        case .none, .tenant: return nil
        case .key: return key
        case .user:
            guard let signIn else { throw KithProblem.signedOut }
            return try await sessions.token(for: signIn, rejecting: rejected, renew: renew)
        }
    }

    private func hear(_ answer: KithAnswer) {
        if let date = answer.headers["date"].flatMap(ServerClock.date) { sessions.hear(date) }
    }

    private func request<Answer>(_ call: KithCall<Answer>, token: String?, key: String?) throws -> URLRequest {
        let base = server.absoluteString
        let query = call.query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        let address =
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + call.path + (query.isEmpty ? "" : "?\(query)")
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        request.setValue(call.accept, forHTTPHeaderField: "Accept")
        if call.credential == .tenant { request.setValue(tenant, forHTTPHeaderField: "X-Kith-Tenant") }
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

    /// Learns the server's time, which comes with every answer.
    func learnTime() async throws {
        let call = KithCall<Void>(
            operationID: "getLiveness", method: "GET", path: "/livez", credential: .none, accept: "*/*",
            decode: { _ in })
        try await read(call, policy: RetryPolicy(tries: 1)) { try await self.transport.send($0) }
    }

    // MARK: New tokens

    /// Gets new tokens. The calls that wait for them decide whether to try again; here it is tried for less than the
    /// minute in which a server gives the successor of a refresh token once more, because its first answer was lost.
    private func renew(_ credentials: Credentials) async throws -> SessionState.Outcome {
        guard let refreshToken = credentials.refreshToken else {
            guard let renewToken else { throw KithProblem.signedOut }
            let token = try await renewToken()
            return .renewed(accessToken: token, refreshToken: nil, expiresAt: Self.end(of: token))
        }
        // Repeating is safe, although the call takes no key: see above.
        var policy = RetryPolicy()
        policy.tries = 5
        var tries = 0
        while true {
            tries += 1
            let failure: KithProblem
            do {
                return .renewed(try await refresh(refreshToken))
            } catch let problem as KithProblem {
                if problem.status == 401, problem.code.rawValue == "unauthenticated" { return .refused }
                failure = problem
            }
            let again = RetryPolicy.Failure(problem: failure, mayHaveArrived: true)
            guard let wait = policy.wait(after: again, tries: tries, isRepeatable: true, jitter: .random(in: 0...1))
            else {
                throw failure
            }
            try await wake.sleep(for: wait)
        }
    }

    /// Exchanges a refresh token, in one try.
    private func refresh(_ token: String) async throws -> SignInAnswer {
        let call = KithCall(
            operationID: "refreshTokens", method: "POST", path: "/v1/auth/refresh",
            body: .json(try JSONEncoder().encode(["refresh_token": token])), credential: .none,
            decode: SignInAnswer.init)
        return try await read(call, policy: RetryPolicy(tries: 1)) { try await self.transport.send($0) }
    }

    /// The end of a token that is a JWT (RFC 7519 §4.1.4); nil if it is not to be seen.
    static func end(of token: String) -> Date? {
        struct Claims: Decodable { let exp: Double }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        guard let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) else {
            return nil
        }
        return (try? JSONDecoder().decode(Claims.self, from: data)).map { Date(timeIntervalSince1970: $0.exp) }
    }

    // MARK: Ending sign-ins on the server

    /// Tells the server of the sign-ins that ended on this device, one after the other, until it knows. Does nothing
    /// while that is under way, since a refresh token must be exchanged once.
    func sendRevocations() async {
        let isUnderWay = isRevoking.withLock { isRevoking in
            defer { isRevoking = true }
            return isRevoking
        }
        guard !isUnderWay else { return }
        while let revocation = nextRevocationOrEnd() {
            if (try? await revoke(revocation)) != nil {
                sessions.replaceRevocation(of: revocation.credentials.signIn, with: nil)
            } else {
                try? await wake.sleep(for: .random(in: 15...30))
            }
        }
    }

    /// The next sign-in that the server must end. If there is none, ``sendRevocations()`` begins again when one
    /// follows.
    private func nextRevocationOrEnd() -> SessionRecord.Revocation? {
        isRevoking.withLock { isRevoking in
            let next = sessions.revocations.first
            isRevoking = next != nil
            return next
        }
    }

    /// Ends a sign-in on the server, in one try. A sign-in that the server does not know has ended.
    private func revoke(_ revocation: SessionRecord.Revocation) async throws {
        do {
            return try await signOut(revocation.credentials.accessToken, everywhere: revocation.everywhere)
        } catch let problem as KithProblem where problem.code.rawValue == "unauthenticated" {}
        guard let refreshToken = revocation.credentials.refreshToken else { return }
        do {
            let renewed = try await refresh(refreshToken)
            var credentials = revocation.credentials
            (credentials.accessToken, credentials.refreshToken) = (renewed.accessToken, renewed.refreshToken)
            sessions.replaceRevocation(of: credentials.signIn, with: credentials)
            try await signOut(renewed.accessToken, everywhere: revocation.everywhere)
        } catch let problem as KithProblem where problem.code.rawValue == "unauthenticated" {}
    }

    private func signOut(_ accessToken: String, everywhere: Bool) async throws {
        let call = KithCall(
            operationID: "signOut", method: "POST", path: "/v1/auth/sign-out",
            headers: [("Authorization", "Bearer \(accessToken)")],
            body: .json(try JSONEncoder().encode(everywhere ? ["everywhere": true] : [:])), credential: .none,
            decode: { _ in })
        try await read(call, policy: RetryPolicy(tries: 1)) { try await self.transport.send($0) }
    }
}

/// The answer to a sign-in and to a refresh.
struct SignInAnswer: Sendable {
    let accessToken: String
    let refreshToken: String
    let userID: UUID
    /// The lifetime of the access token, in seconds.
    let expiresIn: TimeInterval
    /// When the answer was written, by the server's clock.
    let date: Date?

    init(_ answer: KithAnswer) throws {
        struct Members: Decodable {
            struct User: Decodable { let id: UUID }
            let access_token: String
            let refresh_token: String
            let expires_in: TimeInterval
            let user: User
        }
        let members = try JSONDecoder().decode(Members.self, from: answer.body)
        accessToken = members.access_token
        refreshToken = members.refresh_token
        userID = members.user.id
        expiresIn = members.expires_in
        date = answer.headers["date"].flatMap(ServerClock.date)
    }
}

extension SessionState.Outcome {
    /// The tokens of an answer, with the end that it gives them.
    static func renewed(_ answer: SignInAnswer) -> Self {
        .renewed(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken,
            expiresAt: answer.date.map { $0 + answer.expiresIn })
    }
}

extension String {
    /// The text as a part of a URL's query (RFC 3986 §2.3).
    fileprivate var percentEncoded: String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
