import Foundation

/// The credentials of a sign-in.
struct Credentials: Codable, Sendable, Equatable {
    /// Tells the sign-ins on this device apart. It never leaves the device.
    let signIn: UUID
    let userID: UUID
    var accessToken: String
    /// Nil if the tenant's server or identity provider issued the access token.
    var refreshToken: String?
    /// When the access token ends, by the server's clock; nil if only its issuer knows.
    var expiresAt: Date?
}

/// Who is signed in, and whether new tokens are under way. It decides; ``SessionKeeper`` acts.
struct SessionState: Sendable {
    /// The credentials of the person who is signed in.
    private(set) var credentials: Credentials?
    /// The sign-in for which new tokens were asked.
    private(set) var refreshing: UUID?

    /// A token is renewed so many seconds before its end.
    static let margin: TimeInterval = 60

    /// What a call that needs a token does.
    enum Token: Equatable {
        case use(String)
        /// Asks for new tokens, and waits for them.
        case refresh(Credentials)
        /// Waits for those that were asked for.
        case wait
        /// The sign-in has ended.
        case signedOut
    }

    /// How asking for new tokens ended.
    enum Outcome: Equatable {
        case renewed(accessToken: String, refreshToken: String?, expiresAt: Date?)
        /// The server itself says that this sign-in has ended.
        case refused
        /// Nothing is known: no network, a fault of the server, a page of somebody else.
        case failed
    }

    /// What follows from it.
    enum Effect: Equatable {
        /// The new tokens are the session's. They are to be written before they are used.
        case renewed(Credentials)
        case ended
        case unchanged
        /// The sign-in ended meanwhile. These tokens belong to it, and end with it.
        case orphaned(Credentials)
    }

    init(_ credentials: Credentials? = nil) {
        self.credentials = credentials
    }

    /// Takes what another process has made of the sign-in.
    mutating func adopt(_ credentials: Credentials?) { self.credentials = credentials }

    mutating func signIn(_ credentials: Credentials) { self.credentials = credentials }

    /// Ends the sign-in; the credentials that are to be revoked.
    mutating func signOut() -> Credentials? { credentials.take() }

    /// The token for a call of `signIn`. `rejected` is the one that the server has just refused.
    mutating func token(for signIn: UUID, rejecting rejected: String? = nil, at now: Date) -> Token {
        guard let credentials, credentials.signIn == signIn else { return .signedOut }
        let isEnding = credentials.expiresAt.map { now > $0 - Self.margin } ?? false
        guard credentials.accessToken == rejected || isEnding else { return .use(credentials.accessToken) }
        if refreshing == signIn { return .wait }
        refreshing = signIn
        return .refresh(credentials)
    }

    /// The token that is left when new ones could not be had: the present one, until its end.
    func lastToken(for signIn: UUID, rejecting rejected: String?, at now: Date) -> String? {
        guard let credentials, credentials.signIn == signIn, credentials.accessToken != rejected,
            credentials.expiresAt.map({ now < $0 }) ?? true
        else { return nil }
        return credentials.accessToken
    }

    /// Takes the outcome of asking for new tokens with `asked`.
    mutating func refreshed(_ outcome: Outcome, with asked: Credentials) -> Effect {
        if refreshing == asked.signIn { refreshing = nil }
        var renewed = asked
        if case .renewed(let access, let refresh, let expiresAt) = outcome {
            renewed.accessToken = access
            renewed.refreshToken = refresh
            renewed.expiresAt = expiresAt
        }
        guard credentials?.signIn == asked.signIn else {
            return renewed == asked ? .unchanged : .orphaned(renewed)
        }
        // Another process may have renewed the tokens meanwhile, and goes on with those.
        guard credentials == asked else { return .unchanged }
        switch outcome {
        case .renewed:
            credentials = renewed
            return .renewed(renewed)
        case .refused:
            credentials = nil
            return .ended
        case .failed: return .unchanged
        }
    }
}
