import Foundation
import Synchronization
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct `A sign-in` {
    private let alice = UUID()

    /// A call that needs the token of the person.
    private static let call = KithCall<Void>(
        operationID: "getThing", method: "GET", path: "/v1/thing", credential: .bearer, decode: { _ in })

    /// A token that is a JWT of a subject.
    private func token(of subject: String, _ number: Int = 1, until end: Date? = nil) -> String {
        let end = end.map { ",\"exp\":\(Int($0.timeIntervalSince1970))" } ?? ""
        return "e30.\(Data(#"{"sub":"\#(subject)"\#(end)}"#.utf8).base64EncodedString()).\(number)"
    }

    // MARK: New tokens

    @Test func `exchanges no refresh token when the server might not repeat its answer`() async throws {
        let server = AnsweringServer()
        server.behave { request in
            guard request.url?.path == "/v1/auth/refresh" else { return .problem("unauthenticated", 401) }
            server.pass(56)
            throw URLError(.timedOut)
        }
        let kith = try server.launch(as: alice, refreshToken: "r1")
        await #expect { try await kith.caller.answer(to: Self.call) } throws: {
            ($0 as? KithProblem)?.code == .unreachable
        }
        let refreshes = server.requests.filter { $0.url?.path == "/v1/auth/refresh" }
        #expect(refreshes.map(\.timeoutInterval) == [15])
        #expect(kith.session != nil)
    }

    @Test func `does not fail as cancelled when nobody has cancelled it`() async throws {
        let server = AnsweringServer { _ in .problem("unauthenticated", 401) }
        let kith = try server.launch(as: alice, renewToken: { throw CancellationError() })
        await #expect { try await kith.caller.answer(to: Self.call) } throws: {
            ($0 as? KithProblem)?.code == .unreachable
        }
        #expect(kith.session != nil)
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func `ends when the app's function gives another person's token`(isJWT: Bool, isOther: Bool) async throws {
        let (alice, bob) = (alice, UUID())
        let new = isJWT ? token(of: isOther ? "bob" : "alice", 2) : "opaque"
        let server = AnsweringServer { request in
            guard request.value(forHTTPHeaderField: "Authorization") == "Bearer \(new)" else {
                return .problem("unauthenticated", 401)
            }
            return .json(#"{"id":"\#(isOther ? bob : alice)"}"#)
        }
        let kith = try server.launch(as: alice, token: token(of: "alice"), renewToken: { new })
        if isOther {
            await #expect { try await kith.caller.answer(to: Self.call) } throws: {
                ($0 as? KithProblem)?.code.rawValue == "unauthenticated"
            }
        } else {
            try await kith.caller.answer(to: Self.call)
        }
        #expect(kith.session?.userID == (isOther ? nil : alice))
        // The server is asked whose token it is only if the token does not say so.
        let rest = isOther ? ["GET /v1/me"] : isJWT ? ["GET /v1/thing"] : ["GET /v1/me", "GET /v1/thing"]
        #expect(server.calls == ["GET /v1/thing"] + rest)
    }

    /// The next launch of an app whose phone was set `days` ahead meanwhile, in which nothing was heard of the server
    /// yet. Its token is valid for another hour.
    private func launchWithAWrongClock(
        _ server: AnsweringServer, days: Double, renewToken: (@Sendable () async throws -> String)?
    ) throws -> Kith {
        let end = server.now + 3600
        let keeper = try server.keeper()
        try keeper.signIn(
            Credentials(
                signIn: UUID(), userID: alice, accessToken: token(of: "alice", until: end), refreshToken: nil,
                expiresAt: end))
        server.setWall(by: days * 86400)
        return try server.launch(renewToken: renewToken)
    }

    @Test(arguments: [false, true], [-3.0, 3.0])
    func `by a token of one's own goes to the server whatever the device's clock says`(
        canRenew: Bool, days: Double
    ) async throws {
        let server = AnsweringServer()
        let renewals = Locked(0)
        let renew: @Sendable () async throws -> String = {
            renewals.withLock { $0 += 1 }
            throw URLError(.notConnectedToInternet)
        }
        let kith = try launchWithAWrongClock(server, days: days, renewToken: canRenew ? renew : nil)
        let token = try #require(kith.http?.sessions.credentials?.accessToken)
        for _ in 0..<2 { try await kith.caller.answer(to: Self.call) }
        #expect(
            server.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [
                "Bearer \(token)", "Bearer \(token)",
            ])
        #expect(renewals.withLock { $0 } == 0)
    }

    @Test func `by a token of one's own that has ended asks the server, or the app for the next one`() async throws {
        let new = token(of: "alice", 2)
        let renew: @Sendable () async throws -> String = { new }
        for canRenew in [false, true] {
            let server = AnsweringServer { request in
                request.value(forHTTPHeaderField: "Authorization") == "Bearer \(new)"
                    ? .json("{}") : .problem("unauthenticated", 401)
            }
            let kith = try launchWithAWrongClock(server, days: 0, renewToken: canRenew ? renew : nil)
            server.pass(7200)
            let before = server.requests.count
            if canRenew {
                // The server refuses the old token, from which the client also learns the time.
                try await kith.caller.answer(to: Self.call)
                #expect(server.requests.count == before + 2)
            } else {
                await #expect { try await kith.caller.answer(to: Self.call) } throws: {
                    ($0 as? KithProblem)?.code.rawValue == "unauthenticated"
                }
                #expect(server.requests.count == before + 1, "the server is asked")
            }
            #expect(kith.session != nil)
        }
    }

    // MARK: Its end

    /// The answer to the registration of a device for pushes.
    private static let device = KithAnswer.json(
        """
        {"platform":"ios","token":"a1b2","environment":"production","created_at":"2026-11-21T09:00:00Z",
        "last_seen_at":"2026-11-21T09:00:00Z"}
        """)

    @Test(arguments: [204, 500])
    func `takes the registration of the device along when it ends`(status: Int) async throws {
        let server = AnsweringServer { request in
            if request.httpMethod == "DELETE", status != 204 { return .problem("internal", status) }
            guard request.httpMethod == "PUT" else { return .nothing }
            return Self.device
        }
        let kith = try server.launch(as: alice)
        _ = try await kith.api.registerDevice(.init(platform: .ios, token: "a1b2"))
        try kith.signOut()
        while kith.http?.sessions.revocations.isEmpty == false { try await Task.sleep(for: .milliseconds(1)) }
        #expect(
            server.calls == ["PUT /v1/me/devices", "DELETE /v1/me/devices/a1b2", "POST /v1/auth/sign-out"])
        // The next person's sign-out has nothing to remove.
        try kith.http?.sessions.signIn(
            Credentials(signIn: UUID(), userID: UUID(), accessToken: "b", refreshToken: nil, expiresAt: nil))
        try kith.signOut()
        while kith.http?.sessions.revocations.isEmpty == false { try await Task.sleep(for: .milliseconds(1)) }
        #expect(server.calls.count == 4)
    }

    @Test func `ends no registration that follows it`() async throws {
        let (arrived, goesOn) = (Promise<Void>(), Promise<Void>())
        let server = AnsweringServer { request in
            if request.httpMethod == "DELETE" {
                arrived.resolve(.success(()))
                try await goesOn.value()
            }
            guard request.httpMethod == "PUT" else { return .nothing }
            return Self.device
        }
        let kith = try server.launch(as: alice)
        _ = try await kith.api.registerDevice(.init(platform: .ios, token: "a1b2"))
        try kith.signOut()
        try await arrived.value()
        // The same person signs in again while the device is being removed.
        try kith.http?.sessions.signIn(
            Credentials(signIn: UUID(), userID: alice, accessToken: "b", refreshToken: nil, expiresAt: nil))
        let registering = Task { try await kith.api.registerDevice(.init(platform: .ios, token: "a1b2")) }
        for _ in 0..<100 { await Task.yield() }
        goesOn.resolve(.success(()))
        _ = try await registering.value
        let calls = server.calls.filter { $0.contains("devices") }
        #expect(calls == ["PUT /v1/me/devices", "DELETE /v1/me/devices/a1b2", "PUT /v1/me/devices"])
    }

    @Test func `everywhere ends before the next one begins`() async throws {
        let alice = alice
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let kith = try server.launch(as: alice)
        try kith.signOutEverywhere()
        while server.calls.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        server.behave { $0.httpMethod == "POST" ? .nothing : .json(#"{"id":"\#(alice)"}"#) }
        try await kith.signIn(token: "new")
        #expect(server.calls == ["POST /v1/auth/sign-out", "POST /v1/auth/sign-out", "GET /v1/me"])
        #expect(server.requests.suffix(2).first?.httpBody == Data(#"{"everywhere":true}"#.utf8))
        #expect(kith.session?.userID == alice)
    }

    @Test func `everywhere ends on this device only if the server cannot be told before the next one`() async throws {
        let alice = alice
        let server = AnsweringServer { request in
            request.httpMethod == "POST" ? .problem("internal", 500) : .json(#"{"id":"\#(alice)"}"#)
        }
        let kith = try server.launch(as: alice)
        try kith.signOutEverywhere()
        try await kith.signIn(token: "new")
        #expect(kith.http?.sessions.revocations.map(\.everywhere) == [false])
    }

    // MARK: The storage and the clock

    @Test func `is not overwritten while it cannot be read`() async throws {
        let server = AnsweringServer()
        _ = try server.launch(as: alice)
        server.storage.fail { $0 == .read && $1 == SessionRecord.name }
        let next = try server.launch()
        try await next.http?.learnTime()
        #expect(next.session == nil)
        var sessions = next.sessions.makeAsyncIterator()
        #expect(await sessions.next() == .some(nil))
        server.storage.heal()
        #expect(next.session?.userID == alice)
        #expect(await sessions.next()??.userID == alice, "whoever follows the sign-in hears of it")
        #expect(try server.launch().session?.userID == alice)
    }

    @Test func `has new tokens that a full disk does not take`() async throws {
        let server = AnsweringServer { request in
            guard request.url?.path == "/v1/auth/refresh" else {
                return request.value(forHTTPHeaderField: "Authorization") == "Bearer new"
                    ? .nothing : .problem("unauthenticated", 401)
            }
            return .json(
                """
                {"access_token":"new","refresh_token":"r2","expires_in":900,"token_type":"Bearer",
                "user":{"id":"\(self.alice)"}}
                """)
        }
        let kith = try server.launch(as: alice, refreshToken: "r1")
        server.storage.fail { operation, _ in operation == .write }
        try await kith.caller.answer(to: Self.call)
        try await kith.caller.answer(to: Self.call)
        #expect(server.calls.count { $0.contains("refresh") } == 1)
        // They are written with the next change.
        server.storage.heal()
        kith.http?.sessions.keepDevice("device", of: try #require(kith.session).id)
        #expect(try server.launch().http?.sessions.credentials?.accessToken == "new")
    }

    @Test func `stays ended when the disk did not take its end, whatever another process writes`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let (app, other) = (try server.launch(as: alice), try server.launch())
        let signIn = try #require(app.session).id
        server.storage.fail { operation, name in operation == .write && name == SessionRecord.name }
        #expect(throws: (any Error).self) { try app.signOut() }
        #expect(app.session == nil)
        server.storage.heal()
        other.http?.sessions.keepDevice("device", of: signIn)
        #expect(app.session == nil)
        #expect(app.http?.sessions.revocations.map(\.credentials.signIn) == [signIn])
    }

    @Test func `is changed by nothing that could not be read`() throws {
        let server = AnsweringServer { _ in .nothing }
        let (app, other) = (try server.launch(as: alice), try server.launch())
        let signIn = try #require(app.session).id
        #expect(other.session != nil)
        try app.signOut()
        server.storage.fail { operation, name in operation == .read && name == SessionRecord.name }
        other.http?.sessions.keepDevice("device", of: signIn)
        server.storage.heal()
        #expect(try server.launch().session == nil, "the other process has not written what was true before")
    }

    @Test func `of another tenant is not overwritten by an answer`() async throws {
        let server = AnsweringServer { _ in .nothing }
        let app = try server.launch(as: alice)
        let url = try #require(URL(string: "https://kith.example.com"))
        let stranger = SessionKeeper(server: url, tenant: "globex", storage: server.storage, clock: { .now })
        stranger.hear(Date(), sent: .now)
        #expect(try server.launch().session == app.session)
    }

    @Test func `serves with a token that is about to end while the app's function hangs`() async throws {
        let server = AnsweringServer { _ in .nothing }
        let hangs = Promise<String>()
        let kith = try server.launch(renewToken: { try await hangs.value() })
        try await kith.http?.learnTime()
        try kith.http?.sessions.signIn(
            Credentials(
                signIn: UUID(), userID: alice, accessToken: "a", refreshToken: nil, expiresAt: server.now + 30))
        try await kith.caller.answer(to: Self.call)
        #expect(server.requests.contains { $0.value(forHTTPHeaderField: "Authorization") == "Bearer a" })
        hangs.resolve(.failure(URLError(.timedOut)))
    }

    @Test func `is that of another process, whatever this one has thought`() async throws {
        let server = AnsweringServer { _ in .nothing }
        let (app, other) = (try server.launch(as: alice), try server.launch())
        #expect(other.session == app.session)
        try app.signOut()
        #expect(other.session == nil)
        await #expect { try await other.caller.answer(to: Self.call) } throws: {
            ($0 as? KithProblem)?.isSignedOut == true
        }
    }

    @Test func `keeps the pushes of a person who signs in again`() throws {
        // No client: it would send the revocations beside the test.
        let sessions = try AnsweringServer().keeper()
        func credentials(of user: UUID) -> Credentials {
            Credentials(signIn: UUID(), userID: user, accessToken: "token", refreshToken: nil, expiresAt: nil)
        }
        let first = credentials(of: alice)
        try sessions.signIn(first)
        sessions.keepDevice("device", of: first.signIn)
        try sessions.signOut(everywhere: false)
        #expect(sessions.revocations.map(\.device) == ["device"])
        try sessions.signIn(credentials(of: alice))
        #expect(sessions.revocations.map(\.device) == [nil])
        try sessions.signOut(everywhere: false)
        try sessions.signIn(credentials(of: UUID()))
        #expect(sessions.revocations.map(\.device) == [nil, "device"], "another person's do not")
    }

    @Test func `does not take an answer that was read late for the present`() async throws {
        let server = AnsweringServer()
        let kith = try server.launch(as: alice)
        try await kith.caller.answer(to: Self.call)
        server.behave { _ in
            // The process is suspended while the answer waits.
            server.pass(3600)
            return .json("{}")
        }
        try await kith.caller.answer(to: Self.call)
        let now = try #require(kith.http?.sessions.now.server)
        #expect(abs(now.timeIntervalSince(server.now)) < 2)
    }
}
