import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// Alarms over HTTP (K). The rules are tested in Tests/SQL/alarm_*.sql.
@Suite(.mayBlock) struct `An alarm` {
    /// Alice, who sends to Bob and Carol.
    private struct House {
        let alice: Person
        let bob: Person
        let carol: Person
        let installation: Installation

        init() async throws {
            let client: APIClient
            (installation, _, client) = try shared.get()
            alice = try await Person.join(installation.acme, as: "Alice", client)
            bob = try await Person.join(installation.acme, as: "Bob", client)
            carol = try await Person.join(installation.acme, as: "Carol", client)
            try await alice.becomeSender()
            _ = try await alice.connect(bob.becomeReceiver().code)
            _ = try await alice.connect(carol.becomeReceiver().code)
        }

        func act(_ person: Person, _ verb: String, _ id: String, _ body: String = "{}") async throws -> APIClient.Answer
        {
            try await person.send("POST", "/v1/alarms/\(id)/\(verb)", body)
        }

        /// Alice's call for help.
        func help() async throws -> String {
            let answer = try await alice.send("POST", "/v1/alarms", #"{"note":"I fell"}"#)
            try #require(answer.status == 201)
            return try #require(try answer.decode([String: JSON].self)["id"]?.string)
        }
    }

    @Test func `is taken by the first, given back, ended, opened again, and over when the sender checks in`()
        async throws
    {
        let house = try await House()
        let id = try await house.help()
        let again = try await house.alice.send("POST", "/v1/alarms", "{}")
        #expect(again.status == 200)
        #expect(try again.decode([String: JSON].self)["id"]?.string == id, "a second tap adds nothing")
        #expect(try await house.bob.notifications().first?.body == "Alice needs help. Call them now.")

        #expect(try await house.act(house.bob, "take", id, #"{"minutes":20}"#).status == 200)
        let late = try await house.act(house.carol, "take", id)
        #expect(late.status == 409 && late.code == "alarm_taken")
        let problem = try late.decode([String: JSON].self)
        #expect(problem["taken_by"]?["display_name"]?.string == "another receiver")
        #expect(problem["taken_at"]?.string != nil)
        #expect(try await house.act(house.bob, "release", id).status == 200)
        #expect(try await house.act(house.carol, "take", id).status == 200)
        #expect(try await house.act(house.bob, "notes", id, #"{"body":"I drive there"}"#).status == 200)
        #expect(try await house.act(house.alice, "resolve", id, #"{"outcome":"safe"}"#).code == "forbidden")
        #expect(try await house.act(house.bob, "resolve", id, #"{"outcome":"false_alarm"}"#).code == "forbidden")
        #expect(try await house.act(house.bob, "resolve", id, #"{"outcome":"safe"}"#).status == 200)
        #expect(try await house.act(house.bob, "resolve", id, #"{"outcome":"safe"}"#).code == "invalid_transition")
        #expect(try await house.act(house.carol, "reopen", id).status == 200)
        let _: Kith.CheckIn = try await house.alice.get("POST", "/v1/pings/check-in", "{}")
        let seen = try await house.bob.send("GET", "/v1/alarms/\(id)").decode([String: JSON].self)
        #expect(seen["status"]?.string == "resolved" && seen["outcome"]?.string == "checked_in")
        let kinds = seen["timeline"]?.array.compactMap { $0["kind"]?.string } ?? []
        #expect(
            kinds.filter { !["told", "being_told", "seen"].contains($0) } == [
                "opened", "help", "taken", "released", "taken", "noted", "resolved", "reopened", "checked_in",
            ])
        #expect(try await house.carol.notifications().first?.body == "Alice checked in. They're safe.")
    }

    @Test(
        arguments: [
            ("{", nil), ("", nil), ("[]", nil), (#"{"note":1}"#, nil), (#"{"note":"  "}"#, nil),
            (#"{"note":"\u0000"}"#, nil),
            (#"{"note":"I fell","colour":"blue"}"#, "I fell"), (#"{"note":" I\u0007 fell "}"#, "I fell"),
            (#"{"note":"\#(String(repeating: "x", count: 501))"}"#, String(repeating: "x", count: 500)),
        ])
    func `is opened by a call for help, whatever is wrong with its note`(body: String, note: String?) async throws {
        let house = try await House()
        let answer = try await house.alice.send("POST", "/v1/alarms", body)
        #expect(answer.status == 201, "\(answer.text)")
        let alarm = try answer.decode([String: JSON].self)
        #expect(alarm["timeline"]?.array.compactMap { $0["note"]?.string } == (note.map { [$0] } ?? []))
        #expect(try await house.bob.notifications().contains { $0.body.hasPrefix("Alice needs help.") })
    }

    @Test func `is opened by a call for help that claims to be no JSON`() async throws {
        let house = try await House()
        let answer = try await house.alice.client.send(
            "POST", "/v1/alarms", #"{"note":"I fell"}"#, as: house.alice.token,
            headers: ["Content-Type": "text/plain"])
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer.text.contains("I fell"))
    }

    @Test(
        arguments: [
            ("", ["Accept": "image/png"], #"{"note":"I fell"}"#, "I fell"), ("?colour=blue&note=%ff", [:], "{}", nil),
            ("", ["Content-Encoding": "gzip"], #"{"note":"I fell"}"#, "I fell"),
            ("", ["If-Match": #""1""#, "If-None-Match": "*", "Content-Range": "bytes 0-1/2"], "{}", nil),
            ("", ["Idempotency-Key": "two words"], #"{"note":"I fell"}"#, "I fell"),
            ("", [:], #"{"note":"\#(String(repeating: "x", count: 300_000))"}"#, nil),
        ])
    func `is opened by a call for help, whatever else its request asks for`(
        query: String, headers: [String: String], body: String, note: String?
    ) async throws {
        let house = try await House()
        let answer = try await house.alice.client.send(
            "POST", "/v1/alarms\(query)", body, as: house.alice.token, headers: headers)
        #expect(answer.status == 201, "\(answer.text)")
        let alarm = try answer.decode([String: JSON].self)
        #expect(alarm["timeline"]?.array.compactMap { $0["note"]?.string } == (note.map { [$0] } ?? []))
        #expect(try await house.bob.notifications().contains { $0.body.hasPrefix("Alice needs help.") })
    }

    @Test func `is opened anew by a call for help with a key that was used for one that is over`() async throws {
        let house = try await House()
        func call(_ body: String) async throws -> APIClient.Answer {
            try await house.alice.client.send(
                "POST", "/v1/alarms", body, as: house.alice.token, headers: ["Idempotency-Key": "help"])
        }
        func id(_ answer: APIClient.Answer) throws -> String? { try answer.decode([String: JSON].self)["id"]?.string }
        func told() async throws -> Int {
            try await house.bob.notifications().filter { $0.body.hasPrefix("Alice needs help.") }.count
        }
        let first = try await call(#"{"note":"I fell"}"#)
        #expect(first.status == 201)
        #expect(try await call(#"{"note":"I fell"}"#).headers["idempotent-replayed"] == "true")
        // A second tap adds nothing, and other words are told.
        let tap = try await call("{}")
        #expect(try tap.status == 200 && id(tap) == id(first))
        #expect(try await told() == 1)
        #expect(try await call(#"{"note":"It burns"}"#).text.contains("It burns"))
        #expect(try await told() == 2)
        #expect(
            try await house.act(house.alice, "resolve", id(first) ?? "", #"{"outcome":"false_alarm"}"#).status == 200)
        let next = try await call(#"{"note":"I fell again"}"#)
        #expect(try next.status == 201 && id(next) != id(first))
        #expect(try await told() == 3)
    }

    @Test func `is seen by nobody else, and not by the neighbour tenant's desk`() async throws {
        let house = try await House()
        let id = try await house.help()
        let stranger = try await Person.join(house.installation.acme, as: "Mallory", house.alice.client)
        for answer in [
            try await stranger.send("GET", "/v1/alarms/\(id)"), try await house.act(stranger, "take", id),
            try await stranger.send("GET", "/v1/alarms/\(id)/care-card"),
            try await house.alice.client.send(
                "POST", "/v1/tenant/alarms/\(id)/take", #"{"by":"Dana"}"#, as: house.installation.globex.secretKey),
        ] {
            #expect(answer.code == "not_found")
        }
        #expect(
            try await house.alice.client.send("GET", "/v1/tenant/alarms", as: house.alice.token).status == 403,
            "a user is no desk")
        let narrow = try await house.alice.client.send(
            "POST", "/v1/tenant/api-keys", #"{"name":"Users","scopes":["users"]}"#,
            as: house.installation.acme.secretKey
        ).decode([String: JSON].self)
        #expect(
            try await house.alice.client.send(
                "GET", "/v1/tenant/alarms", as: narrow["secret_key"]?.string
            ).status == 403, "nor is a key without the scope")
        let taken = try await house.alice.client.send(
            "POST", "/v1/tenant/alarms/\(id)/take", #"{"by":"Dana"}"#, as: house.installation.acme.secretKey)
        #expect(taken.status == 200)
        #expect(try await house.bob.notifications().first?.body == "Dana is looking after it.")
    }

    @Test func `shows a care card, sealed in the database, only while it is open`() async throws {
        let house = try await House()
        let card = #"{"sections":[{"title":"Keys","body":"Under the third stone."}]}"#
        #expect(try await house.alice.send("PUT", "/v1/me/care-card", card).status == 200)
        let section = #"{"title":"A","body":"\#(String(repeating: "x", count: 1900))"}"#
        let long = #"{"sections":[\#([section, section, section].joined(separator: ","))]}"#
        #expect(try await house.alice.send("PUT", "/v1/me/care-card", long).code == "validation_failed")
        let id = try await house.help()
        let seen = try await house.bob.send("GET", "/v1/alarms/\(id)/care-card").decode([String: JSON].self)
        #expect(seen["sections"]?.array.first?["body"]?.string == "Under the third stone.")
        let stored = try house.installation.session().query(
            "select count(*) from kith.care_cards where position('third stone'::bytea in sealed_card) > 0"
        ).string(0, 0)
        #expect(stored == "0")
        #expect(try await house.act(house.bob, "resolve", id, #"{"outcome":"safe"}"#).status == 200)
        #expect(try await house.bob.send("GET", "/v1/alarms/\(id)/care-card").code == "forbidden")
    }
}
