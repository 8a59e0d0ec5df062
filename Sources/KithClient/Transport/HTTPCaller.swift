import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries out calls over HTTP: with the token of the sign-in with which they begin, and again where that is safe.
final class HTTPCaller: StreamingCaller {
    private let exchange: HTTPExchange
    let sessions: SessionKeeper
    var now: Date { sessions.now.server }
    let wake = WakeSignal()
    private let renewToken: (@Sendable () async throws -> String)?
    private let transport: HTTPTransport
    /// Sends a request whose response is read as a whole.
    private let send: @Sendable (URLRequest) async throws -> KithAnswer
    /// Whether the server is being told of ended sign-ins.
    private let isRevoking = Locked(false)
    /// The next try to tell it, if somebody waits for that before another sign-in.
    private let awaitedTry = Locked<Promise<Void>?>(nil)

    init(
        server: URL, tenant: String, sessions: SessionKeeper,
        renewToken: (@Sendable () async throws -> String)? = nil, transport: HTTPTransport = HTTPTransport(),
        send: (@Sendable (URLRequest) async throws -> KithAnswer)? = nil, policy: RetryPolicy = RetryPolicy()
    ) {
        exchange = HTTPExchange(server: server, tenant: tenant, policy: policy)
        self.sessions = sessions
        self.renewToken = renewToken
        self.transport = transport
        self.send = send ?? { try await transport.send($0) }
    }

    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer {
        let signIn = sessions.credentials?.signIn
        guard Answer.self == Kith.Device.self, let signIn else { return try await read(call, as: signIn) }
        // The end of an earlier sign-in may be removing the same device now, which must not arrive later.
        let held = try await sessions.lock(.registration)
        defer { held?.unlock() }
        let answer = try await read(call, as: signIn)
        if let device = answer as? Kith.Device { sessions.keepDevice(device.token, of: signIn) }
        return answer
    }

    /// The answer to a call of one sign-in, which may have ended. `key` is the call's `Idempotency-Key`.
    func answer<Answer>(to call: KithCall<Answer>, as signIn: UUID, key: String, policy: RetryPolicy) async throws
        -> Answer
    {
        try await read(call, as: signIn, key: key, policy: policy)
    }

    private func read<Answer>(
        _ call: KithCall<Answer>, as signIn: UUID? = nil, key: String? = nil, policy: RetryPolicy? = nil
    ) async throws -> Answer {
        let answer = try await exchange(call, as: signIn, key: key, policy: policy) { request in
            let answer = try await self.send(request)
            return (answer, answer)
        }
        return try call.read(answer)
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
            let first = URLRequest(url: self.exchange.server.appending(path: "livez"))
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
        let signIn = call.credential == .bearer ? signIn ?? sessions.credentials?.signIn : nil
        if call.credential == .bearer, signIn == nil { throw KithProblem.signedOut }
        var sent = sessions.now.reading.steady
        return try await exchange.make(
            call, key: key, policy: policy,
            token: { rejected in
                guard let signIn else { return nil }
                return try await self.token(of: signIn, rejecting: rejected)
            },
            isRenewable: signIn != nil, hear: { self.hear($0, sent: sent) },
            sleep: { try await self.wake.sleep(for: $0) },
            send: { request in
                sent = self.sessions.now.reading.steady
                return try await send(request)
            })
    }

    private func token(of signIn: UUID, rejecting rejected: String?) async throws -> String {
        if rejected == nil, let token = tokenForTheServerToJudge(of: signIn) { return token }
        return try await sessions.token(for: signIn, rejecting: rejected, renew: renew)
    }

    /// The token of a sign-in that this device must not call expired: it comes from the tenant's own issuer, and this
    /// process has not heard the server's time or has no way to get another token. Nil for every other sign-in.
    private func tokenForTheServerToJudge(of signIn: UUID) -> String? {
        guard let credentials = sessions.credentials, credentials.signIn == signIn, credentials.refreshToken == nil,
            renewToken == nil || !sessions.hasHeard
        else { return nil }
        return credentials.accessToken
    }

    private func hear(_ answer: KithAnswer, sent: ContinuousClock.Instant) {
        if let date = answer.headers["date"].flatMap(ServerClock.date) { sessions.hear(date, sent: sent) }
    }

    /// Learns the server's time, which comes with every answer, unless this process has heard it. What an earlier one
    /// knew is by the wall clock, which may have been changed since.
    func learnTime(policy: RetryPolicy = RetryPolicy(tries: 1)) async throws {
        guard !sessions.hasHeard else { return }
        let call = KithCall<Void>(
            operationID: "getLiveness", method: "GET", path: "/livez", credential: .none, accept: "*/*",
            decode: { _ in })
        try await read(call, policy: policy)
    }

    // MARK: New tokens

    /// Within so many seconds a server gives the successor of a refresh token once more, because its first answer was
    /// lost (a minute, less the time that a request takes to arrive).
    private static let repeatable = 55.0

    /// Gets new tokens. The calls that wait for them decide whether to try again; here it is tried as long as a repeat
    /// is safe.
    private func renew(_ credentials: Credentials) async throws -> SessionState.Outcome {
        guard let refreshToken = credentials.refreshToken else {
            guard let renewToken else { throw KithProblem.signedOut }
            let token = try await renewToken()
            // Another subject, or none that can be read, may be another person.
            let subject = TokenClaims(token)?.sub
            if subject == nil || subject != TokenClaims(credentials.accessToken)?.sub {
                guard try await read(KithCall<UUID>.user(of: token)) == credentials.userID else { return .refused }
            }
            return .renewed(accessToken: token, refreshToken: nil, expiresAt: TokenClaims(token)?.end)
        }
        // Repeating is safe, although the call takes no key: see above.
        var policy = RetryPolicy()
        policy.tries = 5
        let began = sessions.now.reading.steady
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
            guard let wait = policy.wait(after: again, tries: tries, isRepeatable: true, jitter: .random(in: 0...1)),
                began.duration(to: sessions.now.reading.steady).seconds + wait < Self.repeatable
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
            timeout: Self.shortTimeout, decode: SignInAnswer.init)
        return try await read(call, policy: RetryPolicy(tries: 1))
    }

    /// The time-out of requests that must leave time for a repeat, or for which somebody waits, in seconds.
    private static let shortTimeout = 15.0

    // MARK: Ending sign-ins on the server

    /// Tells the server of the sign-ins that ended on this device, one after the other, until it knows. Does nothing
    /// while that is under way, since a refresh token must be exchanged once. If another
    /// process holds the lock for too long, that counts as a failed try.
    func sendRevocations() {
        let isUnderWay = isRevoking.withLock { isRevoking in
            defer { isRevoking = true }
            return isRevoking
        }
        guard !isUnderWay else { return }
        // Between the tries nothing holds the caller, so that it ends with those who use it.
        Task { [weak self, wake] in
            while true {
                let woken = wake.next
                guard await self?.tryRevocation() == true else { return }
                try? await wake.sleep(for: .random(in: 15...30), or: woken)
            }
        }
    }

    /// Tells the server of every sign-in that has ended, in one try each.
    func tryRevocations() async {
        for revocation in sessions.revocations { try? await revokeInTurn(revocation.credentials.signIn) }
    }

    /// Tells the server of the ended sign-ins, one after the other, until a try fails; whether one is left.
    private func tryRevocation() async -> Bool {
        while let revocation = nextRevocationOrEnd() {
            let isAwaited = awaitedTry.withLock { $0 != nil }
            let isSent = (try? await revokeInTurn(revocation.credentials.signIn)) != nil
            if !isSent, isAwaited {
                sessions.limitRevocations()
            }
            if isSent || isAwaited { endAwaitedTry() }
            if !isSent { return true }
        }
        return false
    }

    /// Sends the sign-outs from everywhere before another sign-in begins, since they would end that, too. One that
    /// cannot be sent now ends its own sign-in only.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func settleRevocations() async throws {
        defer { endAwaitedTry() }
        while true {
            // Before the question, so that no try that ends meanwhile is missed.
            let next = awaitedTry.withLock { awaited in
                let next = awaited ?? Promise()
                awaited = next
                return next
            }
            guard sessions.revocations.contains(where: \.everywhere) else { return }
            wake.wake()
            sendRevocations()
            try await next.value()
        }
    }

    private func endAwaitedTry() { awaitedTry.withLock { $0.take() }?.resolve(.success(())) }

    /// The next sign-in that the server must end. If there is none, ``sendRevocations()`` begins again when one
    /// follows.
    private func nextRevocationOrEnd() -> SessionRecord.Revocation? {
        isRevoking.withLock { isRevoking in
            let next = sessions.revocations.first
            isRevoking = next != nil
            return next
        }
    }

    /// Ends a sign-in on the server while no other process does, unless one has.
    private func revokeInTurn(_ signIn: UUID) async throws {
        let held = try await sessions.lock(.registration)
        defer { held?.unlock() }
        guard let revocation = sessions.revocations.first(where: { $0.credentials.signIn == signIn }) else { return }
        try await revoke(revocation)
        sessions.replaceRevocation(of: signIn, with: nil)
    }

    /// Ends a sign-in on the server, in one try. A sign-in that the server does not know has ended.
    private func revoke(_ revocation: SessionRecord.Revocation) async throws {
        do {
            return try await end(revocation, with: revocation.credentials.accessToken)
        } catch let problem as KithProblem where problem.code.rawValue == "unauthenticated" {}
        guard let refreshToken = revocation.credentials.refreshToken else { return }
        do {
            let renewed = try await refresh(refreshToken)
            var credentials = revocation.credentials
            (credentials.accessToken, credentials.refreshToken) = (renewed.accessToken, renewed.refreshToken)
            sessions.replaceRevocation(of: credentials.signIn, with: credentials)
            try await end(revocation, with: renewed.accessToken)
        } catch let problem as KithProblem where problem.code.rawValue == "unauthenticated" {}
    }

    /// Removes the registration of this device, so that it gets no more pushes for the person, then ends the sign-in.
    private func end(_ revocation: SessionRecord.Revocation, with accessToken: String) async throws {
        let headers = [("Authorization", "Bearer \(accessToken)")]
        // A sign-out from everywhere removes all registrations.
        if let device = revocation.device, !revocation.everywhere {
            let removal = KithCall(
                operationID: "deleteDevice", method: "DELETE", path: "/v1/me/devices/\(KithCalls.segment(device))",
                headers: headers, credential: .none, timeout: Self.shortTimeout, decode: { _ in })
            do {
                try await read(removal)
            } catch let problem as KithProblem
                where problem.status != nil && problem.code.rawValue != "unauthenticated"
            {
                // The server answers, and does not do it. The sign-in must end all the same.
            }
        }
        let call = KithCall(
            operationID: "signOut", method: "POST", path: "/v1/auth/sign-out", headers: headers,
            body: .json(try JSONEncoder().encode(revocation.everywhere ? ["everywhere": true] : [:])),
            credential: .none, timeout: Self.shortTimeout, decode: { _ in })
        try await read(call, policy: RetryPolicy(tries: 1))
    }
}

/// The claims of a token that is a JWT (RFC 7519 §4.1).
struct TokenClaims: Decodable {
    let sub: String?
    private let exp: Double?

    /// When the token ends; nil if it does not say so.
    var end: Date? { exp.map { Date(timeIntervalSince1970: $0) } }

    /// Reads a token; nil if its claims cannot be seen.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        guard let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)),
            let claims = try? JSONDecoder().decode(Self.self, from: data)
        else { return nil }
        self = claims
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
