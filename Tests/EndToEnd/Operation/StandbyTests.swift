import Foundation
import Glibc
import KithModel
import LocalPostgres
import Postgres
import Testing

/// Reads that a standby answers (decision 30), over sockets.
@Suite struct `A standby` {
    @Test func `shows every write at once, of whichever server, and no read is late when it is behind`() async throws {
        let house = try await StandbyHouse()
        defer { house.stop() }
        var before = try await house.standbyReads()
        var acts = 0
        var answered = 0
        // On a machine that is busy with other tests the standby may often be too late for its 10 ms.
        while acts < 200 || answered < 50 {
            for _ in 0..<100 {
                acts += 1
                try await house.act(acts)
            }
            answered = try await house.standbyReads() - before
        }
        // PostgreSQL's log names the request, as the primary's does.
        let log = try house.operate("select pg_read_file(current_setting('data_directory') || '/../postgres.log')")
        let lines = try #require(log.string(0, 0)).split(separator: "\n")
        #expect(lines.contains { $0.contains("\(StandbyHouse.request) LOG:  duration: ") && $0.contains("api.get_me") })

        let bob = try await Person.join(house.installation.acme, as: "Bob", house.alice.client)
        let vault = try await house.alice.makeVault()
        for _ in 0..<10 {
            let nominee = try await bob.becomeNominee(of: vault, by: house.alice)
            #expect(try await house.reader(bob).send("GET", "/v1/vaults/\(vault.id)").status == 200)
            let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)"
            #expect(try await house.alice.send("DELETE", path).status == 200)
            #expect(try await house.reader(bob).send("GET", "/v1/vaults/\(vault.id)").code == "nominee_revoked")
        }
        #expect(try await house.reader(bob).send("GET", "/v1/me").status == 200)
        let out = try await house.reader(bob).send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        #expect(try await house.reader(bob).send("GET", "/v1/me").status == 401)

        // Once the replay has paused, the standby lacks what is written then, so every answer is the primary's.
        _ = try house.operate("select pg_wal_replay_pause()")
        while try house.operate("select pg_get_wal_replay_pause_state()").string(0, 0) != "paused" {
            acts += 1
            try await house.act(acts)
        }
        before = try await house.standbyReads()
        for _ in 0..<20 {
            acts += 1
            try await house.act(acts)
        }
        #expect(try await house.standbyReads() == before)
        _ = try house.operate("select pg_wal_replay_resume()")
        try await house.awaitStandby()
    }

    @Test func `may be killed or promoted, and does not answer for a primary that is dead`() async throws {
        let house = try await StandbyHouse()
        defer { house.stop() }
        try await house.act(1)
        let victim = try #require(house.standby.server.processID)
        let names = try await withThrowingTaskGroup(of: [String?].self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var names: [String?] = []
                    for number in 0..<50 {
                        if reader == 0, number == 10 { kill(victim, SIGKILL) }
                        names.append(try await house.nameRead())
                    }
                    return names
                }
            }
            return try await group.reduce([], +)
        }
        #expect(names == Array(repeating: "Alice 1", count: 200))
        try house.standby.server.start()
        try await house.awaitStandby()

        try await house.act(2)
        kill(try #require(house.installation.postgres.server.processID), SIGKILL)
        // PostgreSQL's processes end a moment after their parent. Both servers then answer the same.
        for client in [house.alice.client, house.reader.client] {
            var answer = try await client.send("GET", "/v1/me", as: house.alice.token)
            while answer.status != 503 {
                #expect(try answer.decode(User.self).displayName == "Alice 2")
                answer = try await client.send("GET", "/v1/me", as: house.alice.token)
            }
        }
        let before = try await house.standbyReads()
        for _ in 0..<20 {
            #expect(try await house.reader.send("GET", "/v1/me").status == 503)
        }
        #expect(try await house.standbyReads() == before)
        try house.installation.postgres.server.start()
        while try await house.reader.send("GET", "/v1/me").status == 503 {}
        try await house.awaitStandby()

        _ = try house.operate("select pg_promote()")
        _ = try house.operate("update kith.users set display_name = 'Two heads'")
        let last = try await house.standbyReads()
        for number in 3..<23 { try await house.act(number) }
        #expect(try await house.standbyReads() == last)
    }
}
