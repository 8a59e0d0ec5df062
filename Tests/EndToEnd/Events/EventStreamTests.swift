import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// One installation for all tests: their events do not affect each other.
private struct House {
    let installation: Installation
    let server: KithProcess
    let client: APIClient

    init() throws {
        installation = try Installation()
        (server, client) = try installation.serve()
    }

    static let shared = Result { () throws -> House in try House() }

    func pair() async throws -> Pair { try await Pair(installation.acme, client) }
}

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `The stream of events` {
    private var house: House { get throws { try House.shared.get() } }

    @Test func `sends each side its changes, in the form that the corresponding call returns`() async throws {
        let pair = try await house.pair()
        let (alice, bob) = (try await pair.alice.listen(), try await pair.bob.listen())
        #expect(bob.answer.headers["content-type"] == "text/event-stream")
        #expect(bob.answer.headers["cache-control"] == "no-store")
        #expect(bob.answer.headers["x-accel-buffering"] == "no")
        try await pair.pause()
        let path = "/v1/connections/\(pair.connection.text)"
        let isPaused = { (event: EventClient.Event) in event.type == "connection" && event.data["status"] == "paused" }
        let own = try await alice.next(each: isPaused)
        let others = try await bob.next(each: isPaused) { $0.data["type"] == "connection_paused" }
        for (person, event) in [(pair.alice, own[0]), (pair.bob, others[0])] {
            #expect(event.subject == pair.connection.text)
            #expect(try await event.data.timeless == JSON(person.send("GET", path).body).timeless)
        }
        let told = others[1]
        #expect(told.type == "notification")
        #expect(told.data["title"] == "Connection Paused")
    }

    @Test func `sends a check-in to both sides, and a read receipt only to the notification's reader`() async throws {
        let pair = try await house.pair()
        let (alice, bob) = (try await pair.alice.listen(), try await pair.bob.listen())
        #expect(try await pair.alice.send("POST", "/v1/pings/check-in", "{}").status == 200)
        for stream in [alice, bob] {
            let ping = try await stream.next(each: { $0.type == "ping" && $0.data["status"] == "completed" })[0]
            #expect(ping.data["connection_id"]?.string == pair.connection.text)
        }
        let told = try #require(try await pair.bob.notifications().first { $0.type == "ping_completed" })
        #expect(try await pair.bob.send("POST", "/v1/notifications/\(told.id.text)/read").status == 204)
        _ = try await bob.next(each: { $0.subject == told.id.text && $0.data["read_at"] != .null })
    }

    @Test func `sends a vault's opening to its nominee, and an acceptance to its owner`() async throws {
        let house = try house
        let carol = try await Person.join(house.installation.acme, as: "Carol", house.client)
        let bob = try await Person.join(house.installation.acme, as: "Bob", house.client)
        let (owner, nominee) = (try await carol.listen(), try await bob.listen())
        let vault: JSON = try await carol.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        let id = try #require(vault["id"]?.string)
        let invited: JSON = try await carol.get(
            "POST", "/v1/vaults/\(id)/nominees", #"{"name":"Bob","access_level":"view"}"#, status: 201)
        let token = try #require(invited["invitation"]?["token"]?.string)
        #expect(try await bob.send("POST", "/v1/invitations/\(token)/accept").status == 200)
        while try await owner.next("nominee").data["status"] != "accepted" {}
        #expect(try await carol.send("POST", "/v1/vaults/\(id)/open").status == 201)
        #expect(try await nominee.next("session").data["vault_id"]?.string == id)
        #expect(try await owner.next("session").data["vault_id"]?.string == id)
    }

    @Test func `sends a user's new name to their connections, and a vault's new name to its nominees`() async throws {
        let house = try house
        let pair = try await house.pair()
        let (alice, bob) = (try await pair.alice.listen(), try await pair.bob.listen())
        #expect(try await pair.bob.send("PATCH", "/v1/me", #"{"display_name":"Robert"}"#).status == 200)
        func name(_ event: EventClient.Event) -> String? { event.data["counterpart"]?["display_name"]?.string }
        let seen = try await alice.next(each: { $0.type == "connection" && name($0) == "Robert" })[0]
        #expect(
            try await seen.data.timeless
                == JSON(pair.alice.send("GET", "/v1/connections/\(pair.connection.text)").body).timeless)

        let vault: Kith.Vault = try await pair.alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        #expect(try await alice.next("vault").data["name"] == "Papers", "the owner's other devices show a new vault")
        try await pair.bob.becomeNominee(of: vault, by: pair.alice)
        let path = "/v1/vaults/\(vault.id.text)"
        #expect(try await pair.alice.send("PATCH", path, #"{"name":"Family papers"}"#).status == 200)
        for (person, stream) in [(pair.alice, alice), (pair.bob, bob)] {
            let event = try await stream.next("vault")
            #expect(event.data["name"] == "Family papers")
            #expect(try await event.data.timeless == JSON(person.send("GET", path).body).timeless)
        }
        // The owner's name appears in the vault. Once the vault is deleted, neither is told of a change.
        #expect(try await pair.alice.send("PATCH", "/v1/me", #"{"display_name":"Alicia"}"#).status == 200)
        #expect(try await bob.next("vault").data["owner"]?["display_name"] == "Alicia")
        let place = try #require(bob.lastEventID)
        #expect(try await pair.alice.send("PATCH", path, #"{"name":"Secret"}"#).status == 200)
        #expect(try await pair.alice.send("DELETE", path).status == 204)
        let gone = try await pair.bob.listen(after: place).next("vault")
        #expect(gone.data == .object(["id": .string(vault.id.text), "status": "deleted"]))
    }

    @Test func `sends nobody another user's events`() async throws {
        let house = try house
        let pair = try await house.pair()
        let stranger = try await Pair(house.installation.acme, house.client)
        let mallory = try await Pair(house.installation.globex, house.client)
        let streams = [(stranger, try await stranger.bob.listen()), (mallory, try await mallory.bob.listen())]
        let bob = try await pair.bob.listen()
        try await pair.pause()
        _ = try await bob.next(notification: "connection_paused")
        // The others receive no event before the one that they cause themselves afterwards.
        for (others, stream) in streams {
            try await others.pause()
            var event: EventClient.Event
            repeat {
                event = try #require(try await stream.next())
                #expect(try event.data.text.contains(pair.connection.text) == false)
            } while event.data["type"] != "connection_paused"
        }
    }

    @Test func `resumes after any event, by header or by query parameter`() async throws {
        let pair = try await house.pair()
        let bob = try await pair.bob.listen()
        for _ in 0..<3 {
            try await pair.pause()
            try await pair.resume()
        }
        var events: [EventClient.Event] = []
        while events.count(where: { $0.data["type"] == "connection_resumed" }) < 3 {
            events.append(try #require(try await bob.next()))
        }
        let client = try house.client
        for (index, event) in events.enumerated().dropLast() {
            let address = EventClient.Source.allCases[index % 2]
            let again = try await address.listen(client, as: pair.bob.token, after: event.id)
            for expected in events[(index + 1)...] { #expect(try await again.next()?.id == expected.id) }
        }
        let ids = events.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func `prefers the header to the query parameter`() async throws {
        let pair = try await house.pair()
        let first = try await pair.bob.listen()
        try await pair.pause()
        let event = try await first.next(notification: "connection_paused")
        try await pair.resume()
        let again = try await EventClient(
            house.client, "GET", "/v1/events?last_event_id=0-0", as: pair.bob.token,
            headers: ["Last-Event-ID": event.id])
        while let next = try await again.next(), next.data["type"] != "connection_resumed" {
            #expect(next.type != "reset")
            #expect(next.data["type"] != "connection_paused")
        }
    }

    @Test func `resumes from a keep-alive comment too`() async throws {
        let pair = try await house.pair()
        let quiet = try await pair.bob.listen()
        // The stream begins with a comment; the next is the keep-alive.
        var positions: Set<String> = []
        while positions.count < 2 {
            let block = try #require(try await quiet.block())
            if block == nil, let position = quiet.lastEventID { positions.insert(position) }
        }
        try await pair.pause()
        for position in positions {
            _ = try await pair.bob.listen(after: position).next(notification: "connection_paused")
        }
    }

    @Test(arguments: [
        "nonsense", "1", "-1-2", "1-2-3", "1-99999999999999999999", "1-2-019aa5c4-2d31-7a90-b6c2-5e1f0a9d8bzz",
    ])
    func `refuses an invalid position`(position: String) async throws {
        let house = try house
        let bob = try await Person.join(house.installation.acme, as: "Bob", house.client)
        for source in EventClient.Source.allCases {
            let refused = try await source.listen(house.client, as: bob.token, after: position)
            #expect(refused.answer.status == 422)
            #expect(refused.answer.code == "validation_failed")
            #expect(refused.answer.text.contains(source == .header ? #""Last-Event-ID""# : #""last_event_id""#))
        }
    }

    @Test func `starts anew with a reset when the events after the position are no longer known`() async throws {
        let pair = try await house.pair()
        let old = Int(Day.now.timeIntervalSince1970 - 8 * 86400) * 1000
        let now = Int(Day.now.timeIntervalSince1970) * 1000
        for (position, reason) in [("\(old)-3", "too_old"), ("\(now)-9000000000", "unknown")] {
            let stream = try await pair.bob.listen(after: position)
            let reset = try #require(try await stream.next())
            #expect(reset.type == "reset")
            #expect(reset.data["reason"]?.string == reason)
            try await pair.pause()
            _ = try await stream.next(notification: "connection_paused")
            // Resuming from the reset's own position misses nothing either.
            let again = try await pair.bob.listen(after: reset.id)
            _ = try await again.next(notification: "connection_paused")
            try await pair.resume()
        }
    }

    @Test func `looks up each event by its key, with a plan from before there were any`() async throws {
        let installation = try Installation()
        let session = try installation.session()
        // As the worker does: PostgreSQL then knows that the table is empty, and would rather scan it.
        try session.execute("analyze kith.notifications")
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let stream = try await bob.listen()
        func tell(_ count: Int) async throws {
            try session.execute(
                """
                insert into kith.notifications (tenant_id, id, user_id, type, body, data, delivery_status, created_at)
                select \(installation.acme.tenantID), internal.uuid7(now()), '\(bob.id)', 'ping_completed', 'Alice checked in.', '{}',
                  'sent', now()
                from generate_series(1, \(count))
                """)
            for _ in 0..<count { _ = try await stream.next(notification: "ping_completed") }
        }
        func scans() throws -> (ofTables: Int, all: Int) {
            let sums = try session.query(
                """
                select sum(seq_scan), sum(seq_scan + idx_scan) from pg_stat_user_tables where relname ~ '^notifications_[2d]'
                """)
            return (sums.int(0, 0) ?? 0, sums.int(0, 1) ?? 0)
        }
        try await tell(1)
        let before = try scans()
        try await tell(300)
        // PostgreSQL counts each session's scans a little later.
        while try scans().all < before.all + 300 { usleep(10_000) }
        #expect(try scans().ofTables == before.ofTables)
    }

    @Test func `is refused when its address already has three, where three is the limit`() async throws {
        let (server, client) = try house.installation.serve(["KITH_ADDRESS_CONNECTIONS": "3", "KITH_LOOPS": "2"])
        defer { server.signal(SIGTERM) }
        try await Self.fills(house.installation, client, room: 3, with: 429)
    }

    @Test func `is refused when the server already has two, where two is the limit`() async throws {
        let (server, client) = try house.installation.serve(["KITH_STREAMS": "2", "KITH_LOOPS": "2"])
        defer { server.signal(SIGTERM) }
        try await Self.fills(house.installation, client, room: 2, with: 503)
    }

    /// Opens as many streams of different people as the limit allows; the next is refused until one of them ends.
    private static func fills(
        _ installation: Installation, _ client: APIClient, room: Int, with status: Int
    ) async throws {
        var people: [Person] = []
        for number in 0...room {
            people.append(try await Person.join(installation.acme, as: "Reader \(number)", client))
        }
        var streams: [EventClient] = []
        for person in people.dropLast() { streams.append(try await person.listen()) }
        let refused = try await EventClient(client, as: people[room].token)
        #expect(refused.answer.status == status)
        #expect(refused.answer.headers["retry-after"] != nil)
        streams.removeLast()
        while try await EventClient(client, as: people[room].token).answer.status != 200 {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(streams.count == room - 1)
    }

    @Test func `is refused when its user already has twenty`() async throws {
        let pair = try await house.pair()
        var streams = try await pair.bob.listen(times: 20)
        let refused = try await EventClient(house.client, as: pair.bob.token)
        #expect(refused.answer.status == 429)
        #expect(refused.answer.code == "too_many_requests")
        // Other users and other calls are not affected.
        _ = try await pair.alice.listen()
        #expect(try await pair.bob.send("GET", "/v1/me").status == 200)
        try await pair.pause()
        for stream in streams { _ = try await stream.next(notification: "connection_paused") }
        streams.removeAll()
        while try await EventClient(house.client, as: pair.bob.token).answer.status != 200 {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `sends only the head for HEAD, and refuses other formats`() async throws {
        let pair = try await house.pair()
        let head = try await EventClient(house.client, "HEAD", "/v1/events", as: pair.bob.token)
        #expect(head.answer.status == 200)
        #expect(head.answer.headers["content-type"] == "text/event-stream")
        #expect(try await head.rest().isEmpty)
        let other = try await EventClient(house.client, as: pair.bob.token, headers: ["Accept": "application/json"])
        #expect(other.answer.status == 406)
    }

    @Test func `is open to pages of the tenant's web origins`() async throws {
        let (installation, client) = (try house.installation, try house.client)
        let tenant = try installation.tenant("eventpages")
        let changed = try await client.send(
            "PATCH", "/v1/tenant", #"{"allowed_origins":["https://app.example"]}"#, as: tenant.secretKey)
        #expect(changed.status == 200)
        let bob = try await Person.join(tenant, as: "Bob", client)
        let stream = try await EventClient(client, as: bob.token, headers: ["Origin": "https://app.example"])
        #expect(stream.answer.headers["access-control-allow-origin"] == "https://app.example")
    }

    @Test func `is counted in the metrics`() async throws {
        let (server, client) = try house.installation.serve()
        defer { server.signal(SIGTERM) }
        let pair = try await Pair(house.installation.acme, client)
        let line = try server.waitForLog("variable=KITH_METRICS_LISTEN")
        let port = try #require(line.firstMatch(of: /address=127.0.0.1:([0-9]+)/)?.1)
        let metrics = APIClient(base: try #require(URL(string: "http://127.0.0.1:\(port)")))
        func value(_ name: String) async throws -> Double {
            let text = try await metrics.exchange("GET", "/metrics").text
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name) ") })
            return try #require(Double(line.dropFirst(name.count + 1)))
        }
        #expect(try await value("kith_event_streams") == 0)
        #expect(try await value("kith_event_lag_seconds") == 0)
        let stream = try await pair.bob.listen()
        try await pair.pause()
        _ = try await stream.next(notification: "connection_paused")
        #expect(try await value("kith_event_streams") == 1)
        #expect(try await value("kith_events_sent_total") >= 1)
        #expect(try await value("kith_event_lag_seconds") < 60)
    }
}

extension EventClient {
    /// Where a client states the last event that it has seen.
    enum Source: CaseIterable {
        case header, address

        func listen(_ client: APIClient, as token: String, after position: String) async throws -> EventClient {
            switch self {
            case .header: try await EventClient(client, as: token, after: position)
            case .address: try await EventClient(client, "GET", "/v1/events?last_event_id=\(position)", as: token)
            }
        }
    }
}
