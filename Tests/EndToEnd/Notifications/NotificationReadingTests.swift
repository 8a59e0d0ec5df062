import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Reading all notifications` {
    @Test(arguments: [false, true])
    func `covers any number, also with an Idempotency-Key, and skips other users' notifications`(hasKey: Bool)
        async throws
    {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        for (person, count) in [(bob, 5001), (carol, 1)] {
            try installation.session().execute(
                """
                insert into kith.notifications (tenant_id, id, user_id, type, body, data, delivery_status, planned_at, created_at)
                select \(installation.acme.tenantID), internal.uuid7(\(Day.sql) - n * interval '1 second'), '\(person.id)', 'connection_paused',
                  'Text', '{}', 'sent', \(Day.sql), \(Day.sql)
                from generate_series(1, \(count)) as n
                """)
        }
        let headers = hasKey ? ["Idempotency-Key": UUID().uuidString] : [:]
        for _ in 0..<2 {
            let answer = try await bob.client.send(
                "POST", "/v1/notifications/read-all", as: bob.token, headers: headers)
            #expect(answer.status == 204, "\(answer.text)")
        }
        func unread(_ person: Person) async throws -> Int? {
            let list = try await person.send("GET", "/v1/notifications?limit=1")
            return try JSON(list.body)["unread_count"]?.number.map { Int($0) }
        }
        #expect(try await unread(bob) == 0)
        #expect(try await unread(carol) == 1)
    }
}
