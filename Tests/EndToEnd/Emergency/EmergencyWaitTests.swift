import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// A wait and its grant on the real server and worker, whose clocks the tests move.
@Suite(.mayBlock) struct `A wait for emergency access` {
    /// The server reads the clock in microseconds, and a test sets it in whole seconds.
    private static let moment = 2.0
    private static let hour = 3600.0

    /// An instant as a notification writes it for a reader in UTC.
    private static func words(_ instant: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "d MMMM yyyy, HH:mm"
        return formatter.string(from: instant)
    }

    @Test func `is told and reminded of, ends with the grant, and the grant ends by itself`() async throws {
        let house = try await EmergencyHouse(waitHours: 72, level: .edit, #","grant_hours":24"#)
        defer { house.end() }
        let documents = "/v1/vaults/\(house.vault.id)/documents"
        let request = try await house.bob.askForEmergencyAccess(
            to: house.vault, #"{"reason":"She does not answer the phone."}"#)
        #expect(request.status == .waiting && request.cause == .request && request.missedDays == nil)
        let (grant, end) = (try #require(request.grantsAt), try #require(request.endsAt))
        #expect(abs(grant.timeIntervalSince(request.requestedAt) - 72 * Self.hour) < 1)
        #expect(abs(end.timeIntervalSince(grant) - 24 * Self.hour) < 1)
        #expect(
            try await house.alice.emergencyNotices()
                == ["Bob asks for emergency access to Papers. They get in on \(Self.words(grant)) unless you say no."])
        let about = try await house.alice.notifications().first?.data["about"]
        #expect(about == ["type": "emergency_request", "id": .string(request.id.text)])
        let seen = try await house.alice.emergencyRequest(request)
        #expect(seen.reason == "She does not answer the phone.")

        let early = try await house.bob.enterInEmergency(house.vault)
        #expect(early.status == 423)
        let problem: Kith.Problem = try early.decode()
        #expect(problem.code == .vaultLocked && problem.grantsAt == grant)
        #expect(try await house.bob.send("GET", documents).status == 423)

        for (hours, left) in [(48.0, "2 days"), (24, "1 day"), (1, "1 hour")] {
            try house.work(at: grant - hours * Self.hour + Self.moment)
            let reminder = try await house.alice.emergencyNotices().first
            #expect(reminder == "Bob gets into Papers in \(left). Check in or say no to stop it.")
        }

        // No worker runs at the grant: it comes at the next access.
        try await house.at(grant - 600) { _, bob in
            let seen = try await bob.enterInEmergency(house.vault).code
            #expect(seen == "vault_locked")
        }
        try await house.at(grant + Self.moment) { alice, bob in
            let session: Kith.VaultSession = try await bob.enterInEmergency(house.vault).decode()
            #expect(session.kind == .emergency && session.requestID == request.id && session.expiresAt == end)
            let again: Kith.VaultSession = try await bob.enterInEmergency(house.vault).decode()
            #expect(again.id == session.id)
            let page: Kith.DocumentPage = try await bob.get("GET", documents)
            let keys = try #require(page.items.first)
            #expect(try await bob.send("GET", "\(documents)/\(keys.id)/content").text == "Bob has the spare key.")
            let added = try await bob.client.send(
                "POST", "\(documents)?name=Note", content: Data("I was here.".utf8), type: "text/plain", as: bob.token)
            #expect(added.status == 201, "the level is that of the grant")
            #expect(try await bob.send("DELETE", "\(documents)/\(keys.id)").code == "forbidden")
            let history: Kith.VaultEventPage = try await alice.get("GET", "/v1/vaults/\(house.vault.id)/history")
            let inside = history.items.filter { $0.detail["request_id"] == .string(request.id.text) }.map(\.action)
            #expect(Set(inside).isSuperset(of: [.documentRead, .documentAdded]))
            try house.work(at: grant + Self.moment)
            #expect(try await bob.emergencyNotices().isEmpty, "he has entered, so nobody needs to tell him")
        }
        try await house.at(end + Self.moment) { (_, bob) async throws in
            #expect(try await bob.send("GET", documents).code == "vault_locked")
            #expect(try await bob.emergencyRequest(request).status == .ended)
            #expect(try await bob.enterInEmergency(house.vault).status != 200)
        }
    }

    @Test func `ends when the owner checks in, and the nominee learns only of the refusal`() async throws {
        let house = try await EmergencyHouse()
        defer { house.end() }
        try await house.alice.becomeSender()
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        let _: Kith.CheckIn = try await house.alice.get("POST", "/v1/pings/check-in", "{}")
        let seen = try await house.bob.emergencyRequest(request)
        #expect(seen.status == .rejected)
        #expect(
            try await house.bob.emergencyNotices().first
                == "Alice is safe. Your emergency access to Papers has ended.")
        #expect(try await house.bob.send("POST", "/v1/vaults/\(house.vault.id)/emergency/requests", "{}").status == 429)
        try await house.at(try #require(request.grantsAt) + Self.moment) { _, bob in
            let seen = try await bob.enterInEmergency(house.vault).status
            #expect(seen != 200)
        }
    }

    @Test func `ends by the first check-in of an owner who becomes a sender while it runs`() async throws {
        let house = try await EmergencyHouse()
        defer { house.end() }
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        try await house.alice.becomeSender()
        let _: Kith.CheckIn = try await house.alice.get("POST", "/v1/pings/check-in", "{}")
        #expect(try await house.bob.emergencyRequest(request).status == .rejected)
    }

    @Test func `goes on after a check-in, if the owner chose to be asked`() async throws {
        let house = try await EmergencyHouse(#","reject_on_check_in":false"#)
        defer { house.end() }
        try await house.alice.becomeSender()
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        let _: Kith.CheckIn = try await house.alice.get("POST", "/v1/pings/check-in", "{}")
        #expect(try await house.bob.emergencyRequest(request).status == .waiting)
    }

    @Test func `keeps its terms when the owner changes the settings, and ends with the right`() async throws {
        let house = try await EmergencyHouse(waitHours: 72)
        defer { house.end() }
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        try await house.alice.giveEmergencyAccess(to: house.nominee, of: house.vault, waitHours: 1, level: .edit)
        let seen = try await house.bob.emergencyRequest(request)
        #expect(seen.grantsAt == request.grantsAt && seen.accessLevel == .view)
        let path = "/v1/vaults/\(house.vault.id)/nominees/\(house.nominee.id)/emergency"
        #expect(try await house.alice.send("DELETE", path).status == 204)
        #expect(try await house.alice.emergencyRequest(request).status == .ended)
    }

    @Test func `becomes longer by an outage, and both sides are told the new instant`() async throws {
        let house = try await EmergencyHouse()
        defer { house.end() }
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        let grant = try #require(request.grantsAt)
        let outage = (from: grant - 3 * Self.hour, until: grant - Self.hour)
        _ = try house.installation.session().query(
            "insert into kith.outages (component, began_at, ended_at) values ('server', $1, $2)",
            [.text(outage.from.formatted(.iso8601)), .text(outage.until.formatted(.iso8601))])
        let moved = grant + 2 * Self.hour
        // No worker has settled it, and yet it counts.
        try await house.at(grant + Self.moment) { _, bob in
            let early = try await bob.enterInEmergency(house.vault)
            #expect(early.status == 423)
            let grantsAt = try #require(try early.decode(Kith.Problem.self).grantsAt)
            #expect(abs(grantsAt.timeIntervalSince(moved)) < 1)
            try house.work(at: grant + Self.moment)
            let seen = try await bob.emergencyRequest(request)
            #expect(seen.delays.map(\.cause) == [.outage] && seen.grantsAt == grantsAt)
            for person in [house.alice, house.bob] {
                let notices = try await person.emergencyNotices()
                #expect(notices.contains { $0.contains(Self.words(grantsAt)) }, "\(notices)")
            }
        }
        try await house.at(moved + Self.moment) { _, bob in
            let seen = try await bob.enterInEmergency(house.vault).status
            #expect(seen == 200)
        }
    }

    @Test func `stands still while an operator holds it`() async throws {
        let house = try await EmergencyHouse()
        defer { house.end() }
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        let grant = try #require(request.grantsAt)
        func operate(_ call: String) throws {
            let result = try KithProcess.run(
                ["psql", "--role", "kith_admin", "-AtX", "-v", "ON_ERROR_STOP=1", "-c", "select \(call)"],
                environment: house.installation.home)
            #expect(result.status == 0, "\(result.errors)")
        }
        let held = grant - 2 * Self.hour
        try operate(
            """
            admin.hold_emergency('acme', '\(request.id)', 'the family disputes it', null, \
            '\(held.formatted(.iso8601))')
            """
        )
        try await house.at(grant + Self.moment) { alice, bob in
            let early = try await bob.enterInEmergency(house.vault)
            #expect(early.code == "vault_locked")
            let seen = try await alice.emergencyRequest(request)
            #expect(seen.held && seen.heldUntil == nil && seen.status == .waiting)
            let own = try await alice.send("GET", "/v1/me/emergency")
            #expect(own.text.contains(request.id.text))
            #expect(!own.text.contains("disputes"), "the reason is the operator's")
        }
        let released = grant + Self.hour
        try operate("admin.release_emergency('acme', '\(request.id)', 'settled', '\(released.formatted(.iso8601))')")
        try await house.at(released + Self.moment) { _, bob in
            let seen = try await bob.emergencyRequest(request)
            #expect(!seen.held && seen.delays.map(\.cause) == [.hold])
            let moved = try #require(seen.grantsAt).timeIntervalSince(grant)
            #expect(abs(moved - 3 * Self.hour) < 2)
            #expect(try await bob.enterInEmergency(house.vault).status == 423)
        }
        try await house.at(grant + 3 * Self.hour + Self.moment) { _, bob in
            let seen = try await bob.enterInEmergency(house.vault).status
            #expect(seen == 200)
        }
        let audited = try house.installation.session().query(
            "select count(*) from kith.audit where subject like '%\(request.id.text)%' and actor like 'operator:%'")
        #expect(audited.int(0, 0) == 2)
    }
}
