public import Foundation

/// A client of one tenant of a Kith server. An app makes one and keeps it.
public final class Kith: Sendable {
    /// Carries out every call: over HTTP, or from prepared answers in tests and previews.
    let caller: any KithCaller

    /// Keeps the check-ins that are not sent yet; nil in previews.
    let checkIns: CheckInSender?

    /// Whether the person may have an open call for help, as far as this device knows.
    let ownCall = OwnCall()

    /// Creates a client whose calls `caller` carries out.
    init(caller: any KithCaller) {
        self.caller = caller
        checkIns = nil
    }

    /// Creates a client that speaks with a server, and begins what the last launch left to do.
    init(http: HTTPCaller) {
        caller = http
        let checkIns = CheckInSender(http: http)
        self.checkIns = checkIns
        checkIns.start()
        // Another process may have ended before it was done.
        http.sessions.whenLooking { [weak checkIns, weak http] in
            checkIns?.start()
            if let http, !http.sessions.revocations.isEmpty { http.sendRevocations() }
        }
        http.sendRevocations()
    }

    /// Creates a client of a tenant. It has the session of the last launch at once, without a network.
    ///
    /// - Parameters:
    ///   - server: The address of the server, such as `https://kith.example.com`.
    ///   - tenant: The tenant's short name.
    ///   - storage: Where the sign-in and the check-ins that are not sent yet are kept. All processes of an app may use
    ///     the same, see ``KithStorage/lock(_:)``.
    ///   - formerly: The addresses that the server had before. A sign-in that was kept for one of them goes on.
    ///   - renewToken: Gets a new token from the tenant's own server or identity provider. It is called when the token
    ///     that ``signIn(token:)`` was given ends, once however many calls wait.
    public convenience init(
        server: URL, tenant: String, storage: some KithStorage, formerly: [URL] = [],
        renewToken: (@Sendable () async throws -> String)? = nil
    ) {
        let sessions = SessionKeeper(
            server: server, tenant: tenant, formerly: formerly, storage: storage, clock: { .now })
        self.init(http: HTTPCaller(server: server, tenant: tenant, sessions: sessions, renewToken: renewToken))
    }

    /// Creates a client for a tenant's own server, which makes the calls of ``api`` that require a secret key.
    ///
    /// Never put the key into an app: whoever has the app has the key. Nothing is kept on the disk, so check-ins that
    /// are not sent are lost when the process ends.
    ///
    /// ```swift
    /// let kith = Kith(server: URL(string: "https://kith.example.com")!, tenant: "acme", secretKey: key)
    /// let user = try await kith.api.createUser(.init(displayName: "Alice"))
    /// ```
    ///
    /// - Parameters:
    ///   - server: The address of the server, such as `https://kith.example.com`.
    ///   - tenant: The tenant's short name.
    ///   - secretKey: The key, such as from the environment of the process.
    public convenience init(server: URL, tenant: String, secretKey: String) {
        let sessions = SessionKeeper(
            server: server, tenant: tenant, storage: MemoryStorage(), clock: { .now })
        self.init(http: HTTPCaller(server: server, tenant: tenant, sessions: sessions, key: secretKey))
    }

    /// Every call of the API, one function each, generated from its description.
    public var api: KithAPI { KithAPI(caller: caller) }

    /// The present time, by the server's clock: what the screens say the time is, and what an app compares with the
    /// instants of answers, whatever the device's clock says. From the first answer on it runs with a clock of the
    /// device that nobody sets. Before, and in previews, it is the best that the device knows.
    public var now: Date { caller.now }

    /// The caller of a client that speaks with a server; nil in previews.
    var http: HTTPCaller? { caller as? HTTPCaller }
}

/// Every call of the API, one function each, generated from its description.
public struct KithAPI: Sendable {
    let caller: any KithCaller
}
