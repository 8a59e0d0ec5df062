import Foundation
import LocalPostgres
import Postgres
import Synchronization
import TestThreads
import Testing

@testable import Schema

/// The requests to webhooks, as the worker claims and finishes them.
@Suite(.mayBlock) struct `A tenant's webhook` {
    /// A claimed request.
    private struct Request {
        struct Event: Decodable {
            let id: String
            let type: String
        }
        private struct Body: Decodable {
            struct Content: Decodable { let events: [Event] }
            let data: Content
        }
        let webhook: String
        let message: String
        let events: [Event]

        init(_ rows: PostgresResult, _ row: Int) throws {
            webhook = rows.string(row, 0) ?? ""
            message = rows.string(row, 1) ?? ""
            events = try JSONDecoder().decode(Body.self, from: Data((rows.string(row, 2) ?? "").utf8)).data.events
        }
    }

    /// The ids of the events that were sent, in that order.
    private final class Sent: Sendable {
        private let events = Mutex<[String]>([])

        func add(_ ids: [String]) {
            events.withLock { $0 += ids }
        }

        var ids: [String] { events.withLock { $0 } }
    }

    /// A database with the tenants acme and globex, each with one webhook.
    private final class House {
        let server: EphemeralPostgres
        let url: String
        let session: PostgresSession
        static let acme = "00000000-0000-7000-8000-0000000000aa"
        static let globex = "00000000-0000-7000-8000-0000000000bb"
        static let user = "00000000-0000-7000-8000-000000000001"

        init(types: String = "{}") throws {
            server = try EphemeralPostgres()
            url = try server.createDatabase("kith")
            session = try PostgresSession(url: url)
            _ = try Migrator(session).migrate()
            // Lets the tests choose the time (internal.present).
            try session.execute("create table internal.development (made_at timestamptz not null)")
            for (tenant, slug, id) in [(1, "acme", Self.acme), (2, "globex", Self.globex)] {
                try session.execute(
                    """
                    insert into kith.tenants (tenant_id, slug, name, brand_name, created_at, updated_at)
                    values (\(tenant), '\(slug)', '\(slug)', '\(slug)', now(), now());
                    insert into kith.webhooks (
                      tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at
                    )
                    values (
                      \(tenant), '\(id)', 'https://\(slug).example/', '\(types)', '', internal.feed_horizon(), now(), now(), now(), now()
                    )
                    """)
            }
        }

        deinit { server.remove() }

        func emit(_ count: Int = 1, tenant: Int = 1, type: String = "connection", at: String = "now()") throws {
            try session.execute(
                """
                select internal.emit_event(\(tenant), '\(Self.user)', '\(type)', gen_random_uuid(), null, null, \(at))
                from generate_series(1, \(count))
                """)
        }

        /// `share` is the limit for each tenant that `room` does not name.
        func claim(
            _ limit: Int = 10, share: Int = 10, room: [Int: Int] = [:], at: String = "now()",
            by instance: String = "one"
        ) throws -> [Request] {
            func array(_ numbers: [Int]) -> String { "'{\(numbers.map(String.init).joined(separator: ","))}'" }
            let rows = try session.query(
                """
                select id, message_id, body from worker.claim_webhooks(
                  \(at), \(limit), \(share), \(array(Array(room.keys))), \(array(Array(room.values))), '\(instance)'
                )
                """)
            return try (0..<rows.rowCount).map { try Request(rows, $0) }
        }

        @discardableResult
        func finish(
            _ request: Request, _ outcome: String, after: Int? = nil, at: String = "now()", by instance: String = "one"
        ) throws -> Bool {
            let row = try session.query(
                """
                select worker.finish_webhook(\(at), '\(instance)', tenant_id, id, '\(outcome)', $1, 'it failed')
                from kith.webhooks where id = '\(request.webhook)'
                """, [after.map { .int($0) } ?? .null])
            return row.string(0, 0) == "t"
        }

        func value(_ sql: String) throws -> String? { try session.query("select \(sql)").string(0, 0) }
    }

    @Test func `that is far behind looks through the feed in parts, while others get their events`() throws {
        let house = try House()
        try house.session.execute(
            """
            create or replace function internal.rows_of_feed() returns integer language sql immutable parallel safe
            as 'select 5'
            """)
        for _ in 0..<30 { try house.emit(tenant: 2) }
        try house.emit()
        var others: [Int] = []
        var own: Request?
        while own == nil, others.count < 50 {
            let requests = try house.claim()
            own = requests.first { $0.webhook == House.acme }
            let other = requests.first { $0.webhook == House.globex }
            if let other { try house.finish(other, "sent") }
            others.append(other?.events.count ?? 0)
        }
        #expect(others.count > 3 && others.reduce(0, +) > 15)
        let request = try #require(own)
        #expect(request.events.count == 1)
        // A try that fails is repeated without another look at what precedes its first event.
        try house.finish(request, "retry")
        let first = "(select xid from kith.events where tenant_id = 1)"
        #expect(try house.value("taken_xid = \(first) from kith.webhooks where id = '\(House.acme)'") == "t")
        let again = try house.claim(at: "now() + interval '1 hour'").first { $0.webhook == House.acme }
        #expect(again?.message == request.message && again?.events.map(\.id) == request.events.map(\.id))
    }

    @Test func `gets its tenant's events once they are committed`() throws {
        let house = try House()
        #expect(try house.claim().isEmpty)
        try house.emit(2)
        try house.emit(tenant: 2)
        try house.session.execute(
            """
            insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
            values (1, internal.uuid7(now()), '\(House.user)', 'vault_opened', 'x', now())
            """)
        let requests = try house.claim()
        let acme = try #require(requests.first { $0.webhook == House.acme })
        #expect(requests.count == 2)
        #expect(acme.events.map(\.type) == ["connection", "connection", "notification"])
        #expect(requests.first { $0.webhook == House.globex }?.events.count == 1)
        // While a request is in progress, no other is made.
        try house.emit()
        #expect(try house.claim().isEmpty)
        #expect(try house.finish(acme, "sent"))
        let next = try house.claim()
        #expect(next.map(\.events.count) == [1])
        #expect(next.first?.message != acme.message)
        #expect(try house.finish(#require(next.first), "sent"))
        #expect(try house.claim().isEmpty)
        #expect(try house.value("has_news from kith.webhooks where id = '\(House.acme)'") == "f")
    }

    @Test func `gets the same request again until it accepts it, and then the later events`() throws {
        let house = try House()
        try house.emit(3)
        let first = try #require(try house.claim().first)
        try house.finish(first, "retry")
        try house.emit(2)
        #expect(try house.claim().isEmpty)
        let second = try #require(try house.claim(at: "now() + interval '10 seconds'").first)
        #expect(second.message == first.message)
        #expect(second.events.map(\.id) == first.events.map(\.id))
        #expect(try house.value("attempts from kith.webhooks where id = '\(House.acme)'") == "1")
        try house.finish(second, "sent", at: "now() + interval '10 seconds'")
        let third = try #require(try house.claim(at: "now() + interval '10 seconds'").first)
        #expect(third.events.count == 2)
        #expect(try house.value("attempts from kith.webhooks where id = '\(House.acme)'") == "0")
    }

    @Test func `is called less often while it fails, and not before its Retry-After`() throws {
        let house = try House()
        try house.emit()
        var waits: [Double] = []
        for _ in 0..<12 {
            let at = "(select next_attempt_at from kith.webhooks where id = '\(House.acme)')"
            let request = try #require(try house.claim(at: at).first)
            try house.finish(request, "retry", at: at)
            waits.append(
                Double(
                    try house.value(
                        "extract(epoch from next_attempt_at - updated_at) from kith.webhooks where id = '\(House.acme)'"
                    )
                        ?? "") ?? 0)
        }
        #expect((4...6).contains(waits[0]))
        #expect((64...96).contains(waits[4]))
        #expect(waits.suffix(2).allSatisfy { (2880...4320).contains($0) })
        let at = "(select next_attempt_at from kith.webhooks where id = '\(House.acme)')"
        try house.finish(#require(try house.claim(at: at).first), "retry", after: 7200, at: at)
        #expect(
            try house.value("next_attempt_at - updated_at from kith.webhooks where id = '\(House.acme)'") == "02:00:00")
        #expect(try house.value("last_error from kith.webhooks where id = '\(House.acme)'") == "it failed")
    }

    @Test func `gets its events even if another's cannot be rendered`() throws {
        let house = try House()
        try house.emit(type: "no such type")
        // A notification whose text is broken.
        try house.session.execute(
            """
            update internal.texts set pattern = '%z' where key like 'notification.connection_accepted.%';
            insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
            values (1, '\(House.user)', 'Alice', now(), now(), now());
            insert into kith.notifications (tenant_id, id, user_id, type, data, created_at)
            values (1, internal.uuid7(now()), '\(House.user)', 'connection_accepted', '{}', now())
            """)
        try house.emit()
        try house.emit(tenant: 2)
        let requests = try house.claim()
        #expect(Set(requests.map(\.webhook)) == [House.acme, House.globex])
        #expect(requests.map(\.events.count).sorted() == [1, 3])
    }

    @Test func `is limited by its tenant's room, and webhooks of other tenants do not wait for it`() throws {
        let house = try House()
        // acme has ten webhooks, all of which have been due for longer.
        try house.session.execute(
            """
            insert into kith.webhooks (
              tenant_id, id, url, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at
            )
            select 1, gen_random_uuid(), url, '', taken_xid, taken_at, now() - interval '1 minute', now(), now()
            from kith.webhooks, generate_series(1, 9) where tenant_id = 1
            """)
        try house.emit()
        try house.emit(tenant: 2)
        func tenants(_ requests: [Request]) throws -> [Int] {
            try requests.map {
                Int(try house.value("tenant_id from kith.webhooks where id = '\($0.webhook)'") ?? "") ?? 0
            }
        }
        #expect(try tenants(house.claim(share: 4)).sorted() == [1, 1, 1, 1, 2])
        #expect(try tenants(house.claim(share: 4, room: [1: 0])).isEmpty, "a tenant without room gets no request")
        #expect(
            try tenants(house.claim(share: 0, room: [1: 2])) == [1, 1],
            "a tenant with room gets requests even if others have no room")
        #expect(try tenants(house.claim(3, room: [1: 9])).count == 3, "a batch ends when it is full")
    }

    @Test func `without room is called later, which does not count as a failure`() throws {
        let house = try House()
        try house.emit()
        let request = try #require(try house.claim().first)
        try house.finish(request, "later", after: 5)
        #expect(try house.claim(at: "now() + interval '4 seconds'").isEmpty)
        let again = try #require(try house.claim(at: "now() + interval '6 seconds'").first)
        #expect(again.message == request.message)
        #expect(try house.value("attempts from kith.webhooks where id = '\(House.acme)'") == "0")
    }

    @Test func `whose request ends each worker that sends it is called less and less often`() throws {
        let house = try House()
        try house.emit()
        var leases: [Double] = []
        for _ in 0..<12 {
            let at = "(select next_attempt_at from kith.webhooks where id = '\(House.acme)')"
            let lease = try house.session.query(
                """
                with before as (select next_attempt_at as at from kith.webhooks where id = '\(House.acme)')
                select (select at from before), (select count(*) from worker.claim_webhooks(\(at), 10, 10, '{}', '{}', 'one'))
                """)
            let began = try #require(lease.string(0, 0))
            #expect(lease.int(0, 1) == 1)
            leases.append(
                Double(
                    try house.value(
                        "extract(epoch from next_attempt_at - '\(began)') from kith.webhooks where id = '\(House.acme)'"
                    )
                        ?? "") ?? 0)
        }
        #expect(leases[0] == 60)
        #expect(leases[1] == 60)
        #expect((128...192).contains(leases[5]))
        #expect(leases.suffix(2).allSatisfy { (2880...4320).contains($0) })
        #expect(
            try house.value("last_error from kith.webhooks where id = '\(House.acme)'")
                == "the worker that called it stopped before it reported a result")
    }

    @Test func `is not called again after it answered 410 Gone`() throws {
        let house = try House()
        try house.emit()
        try house.finish(#require(try house.claim().first), "gone")
        try house.emit()
        #expect(try house.claim(at: "now() + interval '1 day'").isEmpty)
        #expect(
            try house.value("disabled_reason from kith.webhooks where id = '\(House.acme)'") == "it answered 410 Gone")
    }

    @Test func `is called by another worker after the first died, whose late result is ignored`() throws {
        let house = try House()
        try house.emit()
        let dead = try #require(try house.claim().first)
        #expect(try house.claim(at: "now() + interval '59 seconds'", by: "two").isEmpty)
        let again = try #require(try house.claim(at: "now() + interval '61 seconds'", by: "two").first)
        #expect(again.message == dead.message)
        #expect(try !house.finish(dead, "sent"))
        #expect(try house.finish(again, "sent", by: "two"))
    }

    @Test func `gets only the event types that it subscribed to`() throws {
        let house = try House(types: "{session,alarm_undelivered}")
        try house.emit(3)
        try house.emit(type: "session")
        try house.emit(type: "alarm_undelivered")
        #expect(try house.claim().first?.events.map(\.type).sorted() == ["alarm_undelivered", "session"])
    }

    @Test func `counts as having told the tenant of an undelivered alarm once it accepts the event`() throws {
        let house = try House()
        try house.session.execute(
            """
            insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
            values (1, '\(House.user)', 'Bob', now(), now(), now());
            insert into kith.undelivered_alarms (tenant_id, notification_id, type, user_id, at)
            values (1, '\(House.user)', 'ping_missed', '\(House.user)', now());
            select internal.emit_event(1, '\(House.user)', 'alarm_undelivered', '\(House.user)', null, null, now())
            """)
        let told = "webhook_told_at is not null from kith.undelivered_alarms"
        try house.finish(#require(try house.claim().first), "retry")
        #expect(try house.value(told) == "f")
        let later = "now() + interval '10 seconds'"
        try house.finish(#require(try house.claim(at: later).first), "sent", at: later)
        #expect(try house.value(told) == "t")
    }

    @Test func `gets at most a hundred events at once, in order`() throws {
        let house = try House()
        try house.emit(150)
        try house.emit(60)
        var ids: [String] = []
        var sizes: [Int] = []
        while let request = try house.claim().first {
            ids += request.events.map(\.id)
            sizes.append(request.events.count)
            try house.finish(request, "sent")
        }
        #expect(sizes == [100, 100, 10])
        let written = try house.session.query(
            "select internal.event_position(xid, id) from kith.events where tenant_id = 1 order by xid, id")
        #expect(ids == (0..<written.rowCount).map { written.string($0, 0) ?? "" })
    }

    @Test func `gets a reset event if it was away so long that events are lost`() throws {
        let house = try House()
        try house.emit(3, at: "now() - interval '8 days'")
        try house.emit(2)
        try house.session.execute(
            "update kith.webhooks set taken_at = now() - interval '8 days' where id = '\(House.acme)'")
        let request = try #require(try house.claim().first)
        #expect(request.events.map(\.type) == ["reset", "connection", "connection"])
        try house.finish(request, "retry")
        let again = try #require(try house.claim(at: "now() + interval '10 seconds'").first)
        #expect(again.message == request.message)
        #expect(again.events.map(\.id) == request.events.map(\.id))
        try house.finish(again, "sent", at: "now() + interval '10 seconds'")
        #expect(try house.claim(at: "now() + interval '10 seconds'").isEmpty)
    }

    @Test func `continues from a restored database's position after a reset event`() throws {
        let house = try House()
        try house.session.execute(
            "update kith.webhooks set taken_xid = '9000000000000000000' where id = '\(House.acme)'")
        let request = try #require(try house.claim().first { $0.webhook == House.acme })
        #expect(request.events.map(\.type) == ["reset"])
        try house.finish(request, "sent")
        try house.emit()
        #expect(try house.claim().first?.events.map(\.type) == ["connection"])
    }

    @Test func `skips events that were deleted before they were sent`() throws {
        let house = try House()
        try house.emit(2)
        try house.finish(#require(try house.claim().first), "retry")
        try house.session.execute("delete from kith.events")
        let later = "now() + interval '10 seconds'"
        #expect(try house.claim(at: later).isEmpty)
        try house.emit()
        _ = try house.claim(at: later)
        #expect(
            try house.value("leased_by is not null from kith.webhooks where id = '\(House.acme)'") == "t")
    }

    @Test func `gets events again when an operator replays them`() throws {
        let house = try House()
        try house.emit(2)
        let first = try #require(try house.claim().first)
        try house.finish(first, "sent")
        #expect(try house.claim().isEmpty)
        try house.session.execute(
            "select admin.replay_webhook('acme', '\(House.acme)', now() - interval '1 hour', 'asked by mail')")
        let again = try #require(try house.claim().first)
        #expect(again.events.map(\.id) == first.events.map(\.id))
        #expect(again.message != first.message)
        try house.finish(again, "sent")
        #expect(throws: PostgresError.self) {
            try house.session.execute(
                "select admin.replay_webhook('acme', '\(House.acme)', now() + interval '1 hour', 'of what is to come')")
        }
    }

    @Test func `is marked as up to date only by a worker that has read the whole feed`() throws {
        let house = try House()
        // Another session is reading, so this worker cannot know which events have been added since.
        let other = try PostgresSession(url: house.url)
        try other.execute("begin; select from kith.event_readers for update")
        #expect(try house.claim().isEmpty)
        #expect(try house.value("bool_and(has_news) from kith.webhooks") == "t")
        try other.execute("rollback")
        #expect(try house.claim().isEmpty)
        #expect(try house.value("bool_or(has_news) from kith.webhooks") == "f")
    }

    @Test func `gets every event once, while others write and several workers call it`() async throws {
        let house = try House()
        let url = house.url
        let writers = Writers(4)
        let sent = Sent()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    defer { writers.leave() }
                    let session = try PostgresSession(url: url)
                    for number in 0..<50 {
                        try session.execute("begin")
                        for _ in 0..<3 {
                            try session.execute(
                                """
                                select internal.emit_event(1, '\(House.user)', 'connection', gen_random_uuid(), \
                                null, null, now())
                                """
                            )
                            usleep(.random(in: 0...3000))
                        }
                        try session.execute(number.isMultiple(of: 8) ? "rollback" : "commit")
                    }
                }
            }
            for worker in ["one", "two"] {
                group.addTask {
                    let session = try PostgresSession(url: url, settings: [("role", "kith_worker")])
                    var quiet = 0
                    while quiet < 3 {
                        let isOver = writers.areGone
                        let rows = try session.query(
                            """
                            select id, message_id, body from worker.claim_webhooks(now(), 10, 10, '{}', '{}', \
                            '\(worker)')
                            """
                        )
                        quiet = isOver && rows.rowCount == 0 ? quiet + 1 : 0
                        for row in 0..<rows.rowCount {
                            let request = try Request(rows, row)
                            sent.add(request.events.map(\.id))
                            _ = try session.query(
                                """
                                select worker.finish_webhook(now(), '\(worker)', 1, '\(request.webhook)', 'sent', \
                                null, null)
                                """
                            )
                        }
                        usleep(2000)
                    }
                }
            }
            try await group.waitForAll()
        }
        let written = try house.session.query(
            "select internal.event_position(xid, id) from kith.events order by xid, id")
        #expect(written.rowCount > 500)
        let all = (0..<written.rowCount).map { written.string($0, 0) ?? "" }
        let isAll = sent.ids == all
        #expect(isAll, "\(sent.ids.count) of \(all.count)")
    }
}
