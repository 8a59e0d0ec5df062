public import Foundation

/// The parts of an app's client.
private struct ClientParts: Sendable {
    let caller: any KithCaller
    var checkIns: CheckInSender?
    let ownCall = OwnCall()
}

extension Kith {
    private var parts: ClientParts {
        guard let parts = client as? ClientParts else { preconditionFailure("only this library makes clients") }
        return parts
    }

    /// Carries out every call: over HTTP, or from prepared answers in tests and previews.
    var caller: any KithCaller { parts.caller }

    /// Keeps the check-ins that are not sent yet; nil in previews.
    var checkIns: CheckInSender? { parts.checkIns }

    /// Whether the person may have an open call for help, as far as this device knows.
    var ownCall: OwnCall { parts.ownCall }

    /// Creates a client whose calls `caller` carries out.
    convenience init(caller: any KithCaller) {
        self.init(client: ClientParts(caller: caller))
    }

    /// Creates a client that speaks with a server, and begins what the last launch left to do.
    convenience init(http: HTTPCaller) {
        let checkIns = CheckInSender(http: http)
        self.init(client: ClientParts(caller: http, checkIns: checkIns))
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

    /// The calls of the API, one function each, generated from its description. The functions of this class that make a
    /// call as a whole, such as ``checkIn(note:shareNote:location:)``, have no other here.
    public var api: KithAPI { KithAPI(caller: caller) }

    /// The present time, by the server's clock: what the screens say the time is, and what an app compares with the
    /// instants of answers, whatever the device's clock says. From the first answer on it runs with a clock of the
    /// device that nobody sets. Before, and in previews, it is the best that the device knows.
    public var now: Date { caller.now }

    /// The caller of a client that speaks with a server; nil in previews.
    var http: HTTPCaller? { caller as? HTTPCaller }
}

/// The calls of the API that an app makes, one function each, generated from its description.
public struct KithAPI: Sendable {
    let caller: any KithCaller
}
