import Foundation

/// The address that a one-time code is sent to.
public enum KithContact: Sendable, Hashable {
    /// A phone number, as a person writes it.
    case phone(String)
    /// An e-mail address.
    case email(String)

    fileprivate var member: (name: String, value: String) {
        switch self {
        case .phone(let number): ("phone", number)
        case .email(let address): ("email", address)
        }
    }
}

extension Kith {
    /// The person signed in on this device; nil if nobody is. It is there at launch, without a network, and ends only
    /// when the person signs out or the server itself says that the sign-in has ended.
    public var session: KithSession? { http?.sessions.credentials.map(KithSession.init) }

    /// The present session, and each that follows it.
    public var sessions: AsyncStream<KithSession?> {
        http?.sessions.sessions() ?? AsyncStream { $0.finish() }
    }

    /// Tells the client that the app came to the front or the network returned. Everything that waits for another try
    /// is tried at once.
    public func wake() {
        http?.wake.wake()
        http?.sendRevocations()
        checkIns?.start()
    }

    /// Sends a one-time code, if the address may get one. The answer is the same whether or not somebody has that
    /// address, and also if it has had its share: beyond 5 codes an hour, 20 e-mails or 10 texts in 24 hours, or the
    /// tenant's limits, the call succeeds (202) and nothing is sent. So promise nobody that a code is on its way, and
    /// let them correct the address.
    ///
    /// - Throws: ``KithProblem``, also `validation_failed` for what is no phone number or address, and
    ///   `too_many_requests` with ``KithProblem/retryAfter`` if too many requests come from this network;
    ///   `CancellationError`.
    public func sendCode(to contact: KithContact) async throws {
        let call = KithCall(
            operationID: "requestOneTimeCode", method: "POST", path: "/v1/auth/otp",
            body: .json(try JSONEncoder().encode([contact.member.name: contact.member.value])), credential: .tenant,
            decode: { _ in })
        try await caller.answer(to: call)
    }

    /// Signs in with a one-time code. A person who was signed in before is signed out first.
    ///
    /// If the server has not heard yet of ``signOutEverywhere()``, it is told first, because the sign-in would end with
    /// the others. If it cannot be told now, only the sign-in of this device ends.
    ///
    /// - Throws: ``KithProblem``, also `otp_invalid` for a wrong or expired code, and `quota_exceeded` if the person is
    ///   new and the tenant takes nobody more; what the storage throws if it cannot keep the sign-in;
    ///   `CancellationError`.
    @discardableResult
    public func signIn(code: String, sentTo contact: KithContact) async throws -> KithSession {
        try await http?.settleRevocations()
        let body = [contact.member.name: contact.member.value, "code": code]
        let call = KithCall(
            operationID: "signIn", method: "POST", path: "/v1/auth/otp/verify",
            body: .json(try JSONEncoder().encode(body)), credential: .tenant, decode: SignInAnswer.init)
        let answer = try await caller.answer(to: call)
        return try begin(
            Credentials(
                signIn: UUID(), userID: answer.userID, accessToken: answer.accessToken,
                refreshToken: answer.refreshToken, expiresAt: answer.date.map { $0 + answer.expiresIn }))
    }

    /// Signs in with a token that the tenant's own server or identity provider issued. Call it again with a new token
    /// when this one has ended, or give the client a `renewToken` that gets it. A ``signOutEverywhere()`` of which the
    /// server has not heard yet goes first, as with a code.
    ///
    /// - Throws: ``KithProblem``, also `unauthenticated` if the server does not accept the token; what the storage
    ///   throws if it cannot keep the sign-in; `CancellationError`.
    @discardableResult
    public func signIn(token: String) async throws -> KithSession {
        try await http?.settleRevocations()
        let user = try await caller.answer(to: KithCall<UUID>.user(of: token))
        return try begin(
            Credentials(
                signIn: UUID(), userID: user, accessToken: token, refreshToken: nil,
                expiresAt: TokenClaims(token)?.end))
    }

    private func begin(_ credentials: Credentials) throws -> KithSession {
        guard let http else { throw KithProblem.signedOut }
        try http.sessions.signIn(credentials)
        // The check-ins of the person may wait for a sign-in that the server accepts.
        http.wake.wake()
        checkIns?.start()
        http.sendRevocations()
        return KithSession(credentials)
    }

    /// Signs out on this device. It works without a network: the server is told when it can be reached, by this process
    /// or the next. If this client has registered the device for pushes, that ends, too.
    ///
    /// - Returns: The check-ins that were not sent yet. They stay on the device until the same person signs in again,
    ///   so tell them: nobody knows of them. ``keptCheckIns`` has them before.
    /// - Throws: What the storage throws if it cannot be written.
    @discardableResult
    public func signOut() throws -> [KithCheckIn] { try end(everywhere: false) }

    /// Signs out on this device at once, and on every other device of the person when the server can be reached. If
    /// somebody signs in on this device before, and the server cannot be told then either, the other devices stay
    /// signed in.
    ///
    /// - Returns: The check-ins that were not sent yet, as ``signOut()`` does.
    /// - Throws: What the storage throws if it cannot be written.
    @discardableResult
    public func signOutEverywhere() throws -> [KithCheckIn] { try end(everywhere: true) }

    private func end(everywhere: Bool) throws -> [KithCheckIn] {
        guard let http, let user = http.sessions.credentials?.userID else { return [] }
        // Also if the disk does not take it: this process knows of it.
        defer { http.sendRevocations() }
        try http.sessions.signOut(everywhere: everywhere)
        return checkIns?.waiting(of: user) ?? []
    }
}

private struct Me: Decodable { let id: UUID }

extension KithCall<UUID> {
    /// Asks the server whose token it is.
    static func user(of token: String) -> Self {
        KithCall(
            operationID: "getMe", method: "GET", path: "/v1/me", headers: [("Authorization", "Bearer \(token)")],
            credential: .none, decode: { try JSONDecoder().decode(Me.self, from: $0.body).id })
    }
}
