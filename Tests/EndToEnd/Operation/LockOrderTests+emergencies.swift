import Foundation
import KithClient
import Postgres
import Testing

/// A request for emergency access locks the vault. These tests run its steps, and the wait after a silence, against
/// each other.
extension `Concurrent calls` {
    /// Alice's vault, and nominees whom she has given emergency access to it.
    private struct House {
        let alice: Person
        let vault: Kith.Vault
        let nominees: [(person: Person, nominee: Kith.InvitedNominee)]
    }

    private func house(_ installation: Installation, _ client: APIClient, _ names: String...) async throws -> House {
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault = try await alice.makeVault()
        var nominees: [(person: Person, nominee: Kith.InvitedNominee)] = []
        for name in names {
            let person = try await Person.join(installation.acme, as: name, client)
            let nominee = try await person.becomeNominee(of: vault, by: alice)
            try await alice.giveEmergencyAccess(to: nominee, of: vault)
            nominees.append((person, nominee))
        }
        return House(alice: alice, vault: vault, nominees: nominees)
    }

    @Test func `a rejection and an entry in an emergency do not deadlock, and nobody stays inside`() async throws {
        let (installation, _, client) = try shared.get()
        for isEntryFirst in [true, false] {
            let house = try await house(installation, client, "Bob")
            let (bob, path) = (house.nominees[0].person, "'\(house.vault.id)'")
            let request = try await bob.askForEmergencyAccess(to: house.vault)
            try await house.alice.decide("approve", request)
            let entry = Self.request("api.enter_emergency(\(path), \(Day.sql))", by: bob.id, installation.acme)
            let rejection = Self.request(
                "api.reject_emergency_request(\(path), '\(request.id)', \(Day.sql))", by: house.alice.id,
                installation.acme)
            let held = "kith.vaults where id = \(path) for update"
            if isEntryFirst {
                try await meet(installation, while: held, entry, rejection)
            } else {
                await #expect {
                    try await meet(installation, while: held, rejection, entry)
                } throws: {
                    // Bob's access has ended.
                    "\($0)".contains("KT403")
                }
            }
            let open = try installation.session().query(
                "select from kith.vault_sessions where vault_id = $1::uuid and locked_at is null",
                [.text(house.vault.id.text)])
            #expect(open.rowCount == 0)
        }
    }

    @Test func `a block and an entry in an emergency do not deadlock, and nobody stays inside`() async throws {
        let (installation, _, client) = try shared.get()
        for isEntryFirst in [true, false] {
            let house = try await house(installation, client, "Bob")
            let (bob, path) = (house.nominees[0].person, "'\(house.vault.id)'")
            let request = try await bob.askForEmergencyAccess(to: house.vault)
            try await house.alice.decide("approve", request)
            let entry = Self.request("api.enter_emergency(\(path), \(Day.sql))", by: bob.id, installation.acme)
            let block = Self.request(
                "api.put_block('\(bob.id)', \(Day.sql))", by: house.alice.id, installation.acme)
            let held = "kith.vaults where id = \(path) for update"
            if isEntryFirst {
                try await meet(installation, while: held, entry, block)
            } else {
                await #expect {
                    try await meet(installation, while: held, block, entry)
                } throws: {
                    "\($0)".contains("KT403")
                }
            }
            let open = try installation.session().query(
                "select from kith.vault_sessions where vault_id = $1::uuid and locked_at is null",
                [.text(house.vault.id.text)])
            #expect(open.rowCount == 0)
        }
    }

    @Test func `two askings and a rejection in one quorum do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let house = try await house(installation, client, "Bob", "Carol", "Dave")
        let members = house.nominees.map { #""\#($0.nominee.id)""# }.joined(separator: ",")
        let _: Kith.EmergencyQuorum = try await house.alice.get(
            "PUT", "/v1/vaults/\(house.vault.id)/emergency/quorum", #"{"required":2,"nominees":[\#(members)]}"#)
        let first = try await house.nominees[0].person.askForEmergencyAccess(to: house.vault)
        let askings = house.nominees.dropFirst().map {
            Self.request(
                "api.request_emergency_access('\(house.vault.id)', null, \(Day.sql))", by: $0.person.id,
                installation.acme)
        }
        try await meet(
            installation, while: "kith.vaults where id = '\(house.vault.id)' for update", askings[0],
            Self.request(
                "api.reject_emergency_request('\(house.vault.id)', '\(first.id)', \(Day.sql))", by: house.alice.id,
                installation.acme),
            askings[1])
        // In whatever order: Carol and Dave are enough without Bob.
        let waiting = try installation.session().query(
            """
            select from kith.emergency_requests where vault_id = $1::uuid and waits_from is not null and ended_at is \
            null
            """,
            [.text(house.vault.id.text)])
        #expect(waiting.rowCount == 2)
    }

    @Test func `a check-in waits for a worker that begins the wait after a silence, and ends it`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let pair = try await pair(installation, client)
        let vault = try await pair.alice.makeVault()
        let nominee = try await pair.bob.becomeNominee(of: vault, by: pair.alice)
        try await pair.alice.giveEmergencyAccess(to: nominee, of: vault, #","after_missed_days":2"#)
        // Alice has missed the pings of two days since she gave Bob that right.
        try installation.session().execute(
            """
            update kith.signs_of_life set answered_at = \(Day.sql) - interval '10 days', recount_at = \(Day.sql)
            where user_id = '\(pair.alice.id)';
            insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
            select \(installation.acme.tenantID), (ago.at at time zone 'UTC')::date, '\(pair.connection.id)', gen_random_uuid(),
              '\(pair.alice.id)', '\(pair.bob.id)', 'missed', ago.at, ago.at + interval '1 hour',
              ago.at
            from (select \(Day.sql) - days * interval '1 day' as at from generate_series(2, 3) as days) as ago;
            """)
        let worker = try installation.session()
        try worker.execute(
            "begin; set local role kith_worker; select worker.begin_emergency_waits(\(Day.sql), 100)")
        let checkIn = try Caller(installation)
        try await checkIn.begin(
            Self.request("api.check_in(null, null, null, 'app', \(Day.sql))", by: pair.alice.id, installation.acme))
        try worker.execute("commit")
        try await checkIn.end()
        let requests = try installation.session().query(
            """
            select cause || ' ' || coalesce(end_reason, 'open') from kith.emergency_requests where vault_id = \
            $1::uuid
            """,
            [.text(vault.id.text)])
        #expect(requests.rowCount == 1 && requests.string(0, 0) == "silence owner_returned")
    }
}
