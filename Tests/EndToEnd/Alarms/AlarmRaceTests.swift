import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// What several people do in an alarm at the same instant, over real sockets: the database decides each race (K02,
/// K03).
@Suite(.mayBlock) struct `An alarm in which several act at once` {
    private let installation: Installation
    private let client: APIClient

    init() throws {
        let (installation, _, client) = try shared.get()
        (self.installation, self.client) = (installation, client)
    }

    /// Alice with receivers, and the alarm of her call for help.
    private func house(receivers: Int) async throws -> (
        alice: Person, receivers: [Person], alarm: String, connections: [UUID]
    ) {
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        // Each receiver redeems the sender's code: a user can try 20 codes in an hour.
        let code = try await alice.becomeSender().code
        var people: [Person] = []
        var connections: [UUID] = []
        for number in 1...receivers {
            let person = try await Person.join(installation.acme, as: "Receiver \(number)", client)
            try await person.becomeReceiver()
            connections.append(try await person.connect(code).id)
            people.append(person)
        }
        let answer = try await alice.send("POST", "/v1/alarms", "{}")
        return (alice, people, try #require(try answer.decode([String: JSON].self)["id"]?.string), connections)
    }

    private func act(_ person: Person, _ verb: String, _ id: String, _ body: String = "{}") async throws
        -> APIClient.Answer
    {
        try await person.send("POST", "/v1/alarms/\(id)/\(verb)", body)
    }

    private func alarm(_ id: String, _ reader: Person) async throws -> [String: JSON] {
        try await reader.send("GET", "/v1/alarms/\(id)").decode([String: JSON].self)
    }

    private func kinds(_ alarm: [String: JSON]) -> [String] {
        (alarm["timeline"]?.array ?? []).compactMap { $0["kind"]?.string }
    }

    /// Runs what is given at once; the answers, in the order of what is given.
    private func atOnce(_ acts: [@Sendable () async throws -> APIClient.Answer]) async throws -> [APIClient.Answer] {
        try await withThrowingTaskGroup(of: (Int, APIClient.Answer).self) { group in
            for (index, act) in acts.enumerated() { group.addTask { (index, try await act()) } }
            var answers: [Int: APIClient.Answer] = [:]
            for try await (index, answer) in group { answers[index] = answer }
            return acts.indices.compactMap { answers[$0] }
        }
    }

    @Test func `is taken by exactly one of a hundred, and the others are told who has it`() async throws {
        let (alice, receivers, id, _) = try await house(receivers: 100)
        let answers = try await atOnce(receivers.map { person in { try await act(person, "take", id) } })
        #expect(answers.filter { $0.status == 200 }.count == 1)
        let refused = answers.filter { $0.status != 200 }
        #expect(refused.allSatisfy { $0.status == 409 && $0.code == "alarm_taken" }, "\(refused.map(\.code))")
        for answer in refused {
            #expect(try answer.decode([String: JSON].self)["taken_by"]?["display_name"]?.string == "another receiver")
        }
        let seen = try await alarm(id, alice)
        #expect(seen["status"]?.string == "taken")
        #expect(kinds(seen).filter { $0 == "taken" }.count == 1)
        let taken = try installation.session().query(
            """
            select count(*)::integer, count(distinct user_id)::integer from kith.notifications
            where type = 'alarm_taken' and data ->> 'alarm_id' = '\(id)'
            """)
        #expect(taken.int(0, 0) == 100 && taken.int(0, 1) == 100, "99 receivers and the sender, each once")
    }

    @Test func `is over after a taker and a check-in, whichever came first`() async throws {
        for _ in 0..<8 {
            let (alice, receivers, id, _) = try await house(receivers: 2)
            let answers = try await atOnce([
                { try await act(receivers[0], "take", id) },
                { try await alice.send("POST", "/v1/pings/check-in", "{}") },
                { try await act(receivers[1], "take", id) },
            ])
            #expect(answers[1].status == 200)
            for answer in [answers[0], answers[2]] {
                #expect(
                    answer.status == 200 || ["alarm_taken", "invalid_transition"].contains(answer.code),
                    "\(answer.text)")
            }
            let seen = try await alarm(id, alice)
            #expect(seen["outcome"]?.string == "checked_in" && kinds(seen).contains("checked_in"), "\(kinds(seen))")
            for person in receivers {
                let clears = try await person.notifications().filter { $0.type == "ping_all_clear" }
                #expect(clears.count == 1, "the all-clear comes once")
            }
        }
    }

    @Test func `that is resolved while the sender calls again leaves nobody without an alarm`() async throws {
        for _ in 0..<8 {
            let (alice, receivers, id, _) = try await house(receivers: 1)
            let answers = try await atOnce([
                { try await act(receivers[0], "resolve", id, #"{"outcome":"safe"}"#) },
                { try await alice.send("POST", "/v1/alarms", "{}") },
            ])
            #expect(answers[0].status == 200, "\(answers[0].text)")
            let called = try answers[1].decode([String: JSON].self)["id"]?.string
            if answers[1].status == 201 {
                #expect(called != id)
                #expect(try await alarm(try #require(called), receivers[0])["status"]?.string == "open")
            } else {
                #expect(answers[1].status == 200 && called == id, "the call came first")
            }
            #expect(try await alarm(id, alice)["outcome"]?.string == "safe")
        }
    }

    @Test func `that is resolved while a ping is missed ends, or has the miss in a new one`() async throws {
        for _ in 0..<4 {
            let (alice, receivers, id, _) = try await house(receivers: 1)
            let person = receivers[0]
            let session = try installation.session()
            try session.execute(
                """
                update kith.pings set scheduled_at = \(Day.sql) - interval '3 hours', deadline_at = \(Day.sql) - interval '1 hour',
                  asked_at = \(Day.sql) - interval '3 hours', status = 'due'
                where sender_id = '\(alice.id.text)'
                """)
            async let miss: Void = Task.detached { [installation] in
                try installation.session().execute("select worker.miss_pings(\(Day.sql), 1000)")
            }.value
            let ended = try await act(person, "resolve", id, #"{"outcome":"safe"}"#)
            try await miss
            #expect(ended.status == 200, "\(ended.text)")
            let rows = try session.query(
                """
                select (select count(*)::integer from kith.pings where sender_id = '\(alice.id.text)' and status = 'missed'),
                  (select count(*)::integer from kith.alarms where sender_id = '\(alice.id.text)' and resolved_at is null),
                  (select count(*)::integer from kith.alarm_entries where alarm_id = '\(id)' and kind = 'missed')
                """)
            #expect(rows.int(0, 0) == 1)
            // The miss joined the alarm before it was resolved, or it opened one of its own.
            #expect((rows.int(0, 1) ?? 0) + (rows.int(0, 2) ?? 0) == 1)
        }
    }

    @Test(arguments: ["removed", "blocked", "deleted"])
    func `whose taker leaves at the same moment is open for the others`(how: String) async throws {
        for _ in 0..<6 {
            let (alice, receivers, id, connections) = try await house(receivers: 2)
            let taker = receivers[0]
            let answers = try await atOnce([
                { try await act(taker, "take", id) },
                {
                    switch how {
                    case "removed": try await alice.send("DELETE", "/v1/connections/\(connections[0].text)")
                    case "blocked": try await alice.send("PUT", "/v1/me/blocks/\(taker.id.text)")
                    default: try await taker.send("DELETE", "/v1/me")
                    }
                },
            ])
            #expect((200..<300).contains(answers[1].status), "\(answers[1].text)")
            #expect(
                answers[0].status == 200 || [401, 404].contains(answers[0].status), "\(how): \(answers[0].text)")
            let seen = try await alarm(id, receivers[1])
            #expect(seen["status"]?.string == "open", "\(how): \(kinds(seen))")
            #expect(try await act(receivers[1], "take", id).status == 200)
            let late = try await act(taker, "take", id)
            #expect([401, 404].contains(late.status), "\(late.text)")
        }
    }
}
