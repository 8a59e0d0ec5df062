import Foundation
import Glibc
import KithClient
import KithServer
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// When the server ends a stream, and what leaves it open.
@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `A stream of events ends` {
    @Test func `when its token expires`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        func listen(seconds: Int) async throws -> (stream: EventClient, token: String) {
            let short: Kith.AccessToken = try await client.get(
                "POST", "/v1/tokens", #"{"user_id":"\#(bob.id)","ttl_seconds":\#(seconds)}"#,
                as: installation.acme.secretKey, status: 201)
            return (try await EventClient(client, as: short.accessToken), short.accessToken)
        }
        // On a machine that is busy with other tests, a token may have expired before it is used.
        var seconds = 10
        var (stream, token) = try await listen(seconds: seconds)
        while stream.answer.status == 401, seconds < 300 {
            seconds *= 2
            (stream, token) = try await listen(seconds: seconds)
        }
        #expect(stream.answer.status == 200)
        #expect(try await stream.rest().isEmpty)
        #expect(try await EventClient(client, as: token).answer.status == 401)
    }

    @Test func `when its user signs out, is deleted or is suspended with the tenant, on any server`() async throws {
        let house = try SignInHouse()
        let installation = house.installation
        let (other, elsewhere) = try installation.serve()
        defer { other.signal(SIGTERM) }
        func listen(_ token: String, _ client: APIClient) async throws -> EventClient {
            let stream = try await EventClient(client, as: token)
            #expect(stream.answer.status == 200)
            return stream
        }
        // One of two sign-ins ends at once on the server that ended it, and soon afterwards on the other.
        let number = SignInHouse.number()
        let (first, second) = (try await house.signIn(number), try await house.signIn(number))
        let signedOut = [
            try await listen(first.accessToken, house.client), try await listen(first.accessToken, elsewhere),
        ]
        let stays = try await listen(second.accessToken, elsewhere)
        #expect(try await house.client.send("POST", "/v1/auth/sign-out", "{}", as: first.accessToken).status == 204)
        for stream in signedOut { _ = try await stream.rest() }
        // A token without a sign-in ends when the user signs out everywhere.
        let carol = try await Person.join(installation.acme, as: "Carol", house.client)
        let everywhere = try await listen(carol.token, elsewhere)
        // Tokens have a resolution of one second: a token issued in the same second stays valid.
        try await Task.sleep(for: .milliseconds(1100))
        let answer = try await house.client.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#, as: carol.token)
        #expect(answer.status == 204)
        let dave = try await Person.join(installation.acme, as: "Dave", house.client)
        let deleted = try await listen(dave.token, elsewhere)
        #expect(try await dave.send("DELETE", "/v1/me").status == 204)
        let mallory = try await Person.join(installation.globex, as: "Mallory", house.client)
        let suspended = try await listen(mallory.token, elsewhere)
        try installation.session().execute("select admin.suspend_tenant('globex', 'unpaid')")
        for stream in [everywhere, deleted, suspended] { _ = try await stream.rest() }
        // The stream of the other sign-in has stayed open all that time: it continues until its server stops.
        other.signal(SIGTERM)
        _ = try await stays.rest()
        #expect(other.wait() == 0)
    }

    @Test func `when its reader takes nothing for a minute, but not when it is slow, and no event is lost`()
        async throws
    {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let pair = try await Pair(installation.acme, client)
        let dead = try await EventClient(client, as: pair.bob.token, window: 4096)
        let slow = try await EventClient(client, as: pair.bob.token, window: 4096)
        let quick = try await pair.bob.listen()
        // Megabytes at once: far more than the server and the kernel buffer for one client.
        let count = 5000
        try installation.session().execute(
            """
            insert into kith.notifications (tenant_id, id, user_id, type, body, data, delivery_status, created_at)
            select \(installation.acme.tenantID), internal.uuid7(\(Day.sql)), '\(pair.bob.id)', 'connection_paused', repeat('x', 300), '{}', 'sent', \(Day.sql)
            from generate_series(1, \(count));
            """)
        func read(_ stream: EventClient, _ ids: inout [String]) async throws {
            while ids.count < count, let event = try await stream.next() {
                if event.data["title"] == "Connection Paused" { ids.append(event.id) }
            }
        }
        var (all, slowly, seen): ([String], [String], [String]) = ([], [], [])
        try await read(quick, &all)
        #expect(Set(all).count == count)
        try await read(slow, &slowly)
        #expect(slowly == all)
        while try await Self.openStreams(server) > 2 { try await Task.sleep(for: .milliseconds(200)) }
        // Now it reads everything that had reached it.
        try await read(dead, &seen)
        #expect(seen.count < count)
        let again = try await EventClient(client, as: pair.bob.token, after: dead.lastEventID, window: 4096)
        try await read(again, &seen)
        #expect(seen == all)
    }

    /// The number of open streams in the server's metrics.
    private static func openStreams(_ server: KithProcess) async throws -> Int {
        let line = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        let port = try #require(line.firstMatch(of: /address=127.0.0.1:([0-9]+)/)?.1)
        let metrics = APIClient(base: try #require(URL(string: "http://127.0.0.1:\(port)")))
        let text = try await metrics.exchange("GET", "/metrics").text
        return try #require(text.firstMatch(of: /\nkith_event_streams ([0-9]+)/).flatMap { Int($0.1) })
    }

    @Test func `when the server stops, without delaying the shutdown`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let pair = try await Pair(installation.acme, client)
        let streams = try await pair.bob.listen(times: 10)
        server.signal(SIGTERM)
        for stream in streams { #expect(try await stream.rest().isEmpty) }
        #expect(server.wait() == 0)
    }

    @Test func `but not because of a shortage of descriptors, since it reuses its connection's`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let connection = try RawConnection(client)
        try connection.request("GET", "/livez", as: bob.token)
        #expect(connection.read(12))
        while !connection.text.hasSuffix(#"{"status":"ok"}"#) { connection.read(connection.received.count + 1) }
        let livez = connection.received.count
        // No lower descriptor number is free.
        try Self.limit(server, to: 3)
        try connection.request("GET", "/v1/events", as: bob.token)
        #expect(connection.read(livez + 15))
        #expect(connection.text.hasSuffix("HTTP/1.1 200 OK"), "\(connection.text)")
        try Self.limit(server, to: 4096)
        #expect(try await bob.listen().answer.status == 200)
        #expect(server.isRunning)
    }

    private static func limit(_ server: KithProcess, to descriptors: Int) throws {
        let command = try Tool.run(
            URL(filePath: "/usr/bin/prlimit"), ["--pid", "\(server.processID)", "--nofile=\(descriptors):"])
        #expect(command.status == 0, "\(command.output)")
    }
}
