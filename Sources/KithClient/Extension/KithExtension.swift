public import Foundation

/// Kith in an extension of an app: a widget, a button of a push, or an App Intent.
///
/// Give it the storage of the app. Then it has the app's sign-in, and each check-in is sent once, by whichever process
/// has a network. It makes few calls, and needs no screens.
///
/// ```swift
/// let kith = KithExtension(
///     server: URL(string: "https://kith.example.com")!, tenant: "acme",
///     storage: .file(URL.homeDirectory.appending(path: ".kith-session")))
/// let entry = await kith.timeline().entries[0]
/// print(entry.day?.sentence ?? "Open the app to sign in.")
/// ```
public struct KithExtension: Sendable {
    /// The client, for what an extension does besides.
    public let kith: Kith

    /// Creates it with the arguments of the app's client.
    ///
    /// - Parameters:
    ///   - server: The address of the server, such as `https://kith.example.com`.
    ///   - tenant: The tenant's short name.
    ///   - storage: The storage of the app, in a place that the extension may read and write.
    ///   - formerly: The addresses that the server had before.
    ///   - renewToken: Gets a new token from the tenant's own server or identity provider.
    public init(
        server: URL, tenant: String, storage: some KithStorage, formerly: [URL] = [],
        renewToken: (@Sendable () async throws -> String)? = nil
    ) {
        kith = Kith(
            server: server, tenant: tenant, storage: storage, formerly: formerly, renewToken: renewToken)
    }

    /// Creates it with a client, such as a preview.
    public init(_ kith: Kith) { self.kith = kith }

    /// Says "I'm safe". When it returns, the server has it, or the check-in is on the disk and this process or the app
    /// sends it.
    ///
    /// It ends an open call for help of the person's own, and does not ask. Where there may be one, ask the person
    /// first.
    ///
    /// - Parameter limit: For how long to wait for the server.
    /// - Throws: ``KithProblem`` `unauthenticated` if nobody is signed in; another one if the disk is full and the
    ///   server cannot be reached.
    /// - Returns: The check-in. ``KithCheckIn/state`` says how far it is: only `received` means that somebody knows.
    public func checkIn(within limit: Duration = .milliseconds(400)) async throws -> KithCheckIn {
        let checkIn = try await kith.checkIn()
        _ = try? await kith.soon(limit) { await checkIn.states.first { $0 != .kept } }
        return checkIn
    }

    /// Does what a button of a push says, as ``Kith/perform(_:for:)`` does.
    ///
    /// - Throws: What ``Kith/perform(_:for:)`` throws.
    public func perform(_ action: KithPush.Action, for push: KithPush) async throws -> KithPush.Outcome {
        try await kith.perform(action, for: push)
    }

    /// What a widget shows from now on: how the person's day stands, and the people who are looked after, by the
    /// server's words.
    ///
    /// It is loaded from the server, and kept for the time without a network. What is not known any more is shown as
    /// unknown, and never as a sign of life.
    ///
    /// - Parameters:
    ///   - limit: For how long to wait for the server.
    ///   - texts: The words for what is not known.
    /// - Returns: The timeline. It is there whatever fails.
    public func timeline(
        within limit: Duration = .seconds(10), texts: KithTexts = .preferred()
    ) async -> KithTimeline {
        // An answer is as old as its question: the process may have been suspended in between.
        let asked = kith.now
        let loaded = isSignedIn ? try? await kith.soon(limit) { try await kith.api.getHome() } : nil
        let home = loaded.map { KeptHome($0, at: asked) }
        if let home { kith.http?.sessions.keep(home) }
        // Meanwhile the sign-in may have ended, or another person's may have begun.
        let user = kith.http == nil ? home?.userID : kith.session?.userID
        let shown = [home, kept].compactMap(\.self).first { $0.userID == user }
        return KithTimeline(
            shown, isSignedIn: user != nil || isSignedIn, isFresh: shown != nil && shown?.at == home?.at,
            waiting: kith.keptCheckIns.count { !$0.isRefused } + kith.waitingForSignIn, now: kith.now,
            device: kith.http?.sessions.now.reading.wall ?? kith.now, texts)
    }

    /// Whether somebody may be signed in: a preview is for somebody who is, and before the device was unlocked for the
    /// first time nobody knows.
    private var isSignedIn: Bool {
        kith.session != nil || kith.http?.sessions.isKnown != true
    }

    /// What was last heard, of whomever.
    private var kept: KeptHome? {
        let item = try? kith.http?.sessions.storage.read(KeptHome.name)
        return item.flatMap { try? JSONDecoder().decode(KeptHome.self, from: $0) }
    }
}
