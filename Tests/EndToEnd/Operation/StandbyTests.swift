import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// Reads that a standby answers (decision 30), over sockets.
@Suite(.mayBlock) struct `A standby` {
    @Test func `shows every write at once, of whichever server, and no read is late when it is behind`() async throws {
        let house = try await StandbyHouse()
        var before = try await house.standbyReads()
        var acts = 0
        var answered = 0
        // On a machine that is busy with other tests the standby may often be too late for its 10 ms.
        while acts < 200 || answered < 50 {
            for _ in 0..<100 { try await house.act() }
            acts += 100
            answered = try await house.standbyReads() - before
        }
        // PostgreSQL's log names the request, as the primary's does.
        let log = try house.operate("select pg_read_file(current_setting('data_directory') || '/../postgres.log')")
        let lines = try #require(log.string(0, 0)).split(separator: "\n")
        #expect(
            lines.contains {
                $0.contains("\(StandbyHouse.request) LOG:  duration: ") && $0.contains("execute api.get_quiet_hours")
            })

        let bob = try await Person.join(house.installation.acme, as: "Bob", house.alice.client)
        let vault = try await house.alice.makeVault()
        for _ in 0..<10 {
            let nominee = try await bob.becomeNominee(of: vault, by: house.alice)
            #expect(try await house.reader(bob).send("GET", "/v1/vaults/\(vault.id)").status == 200)
            let path = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)"
            #expect(try await house.alice.send("DELETE", path).status == 204)
            #expect(try await house.reader(bob).send("GET", "/v1/vaults/\(vault.id)").code == "nominee_revoked")
        }
        #expect(try await house.reader(bob).send("GET", "/v1/me").status == 200)
        let out = try await house.reader(bob).send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        #expect(try await house.reader(bob).send("GET", "/v1/me").status == 401)

        // Once the replay has paused, the standby lacks what is written then, so every answer is the primary's.
        _ = try house.operate("select pg_wal_replay_pause()")
        while try house.operate("select pg_get_wal_replay_pause_state()").string(0, 0) != "paused" {
            try await house.act()
        }
        before = try await house.standbyReads()
        for _ in 0..<20 { try await house.act() }
        #expect(try await house.standbyReads() == before)
        _ = try house.operate("select pg_wal_replay_resume()")
        try await house.awaitStandby()
    }

    @Test func `may be killed or promoted, and does not answer for a primary that is dead`() async throws {
        let house = try await StandbyHouse()
        try await house.act()
        let hours = try await house.hoursRead()
        let victim = try #require(house.standby.server.processID)
        let reads = try await withThrowingTaskGroup(of: [Kith.QuietHours].self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var reads: [Kith.QuietHours] = []
                    for number in 0..<50 {
                        if reader == 0, number == 10 { kill(victim, SIGKILL) }
                        reads.append(try await house.hoursRead())
                    }
                    return reads
                }
            }
            return try await group.reduce([], +)
        }
        #expect(reads == Array(repeating: hours, count: 200))
        try house.standby.server.start()
        try await house.awaitStandby()

        // A standby that hangs costs some reads a quarter of a second, and none its answer.
        let processes = try house.processesOfStandby()
        for process in processes { kill(process, SIGSTOP) }
        for _ in 0..<20 { try await house.act() }
        for process in processes { kill(process, SIGCONT) }
        try await house.awaitStandby()

        let last = try await house.hoursRead()
        kill(try #require(house.installation.postgres.server.processID), SIGKILL)
        // PostgreSQL's processes end a moment after their parent. Both servers then answer the same.
        for client in [house.alice.client, house.reader.client] {
            var answer = try await client.send("GET", "/v1/me/quiet-hours", as: house.alice.token)
            while answer.status != 503 {
                #expect(try answer.decode(Kith.QuietHours.self) == last)
                answer = try await client.send("GET", "/v1/me/quiet-hours", as: house.alice.token)
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
        _ = try house.operate("update kith.quiet_hours set starts_at = '23:30'")
        let answered = try await house.standbyReads()
        for _ in 0..<20 { try await house.act() }
        #expect(try await house.standbyReads() == answered)
    }

    @Test func `must be of the same cluster and database`() throws {
        let (installation, _, _) = try shared.get()
        let elsewhere = try EphemeralPostgres()
        let other = try elsewhere.createDatabase("kith")
        try PostgresSession(url: other).execute("create role kith_api")
        for (url, what) in [(other, "cluster"), (try installation.postgres.createDatabase("other"), "database")] {
            let environment = installation.environment.merging(["KITH_READ_DATABASE_URL": url]) { $1 }
            let refusal =
                "KITH_READ_DATABASE_URL names no standby of the server in KITH_DATABASE_URL, but another \(what)"
            let server = try KithProcess.run(["serve"], environment: environment)
            #expect(server.status == 78)
            #expect(server.errors.contains(refusal), "\(server.errors)")
            let doctor = try KithProcess.run(["doctor"], environment: environment)
            #expect(doctor.output.contains("WRONG  \(refusal)"), "\(doctor.output)")
        }
    }

    @Test func `is examined by doctor`() throws {
        let (installation, _, _) = try shared.get()
        let standby = try installation.makeStandby()
        let url = standby.server.url(database: Installation.database)
        let reader = try PostgresSession(url: url)
        #expect(try reader.query("select internal.awaits_confirmation()::text").string(0, 0) == "false")
        #expect(try reader.query("select * from admin.overview()").rowCount > 0, "kith top shows a standby too")
        for (url, finding) in [
            (url, "ok     KITH_READ_DATABASE_URL connects to a standby"),
            (
                installation.postgres.server.url(database: Installation.database),
                "WRONG  KITH_READ_DATABASE_URL connects to a primary, which answers no reads by it"
            ),
            ("postgresql://kith_api@127.0.0.1:1/kith", "WRONG  KITH_READ_DATABASE_URL does not connect"),
        ] {
            let environment = installation.environment.merging(["KITH_READ_DATABASE_URL": url]) { $1 }
            let doctor = try KithProcess.run(["doctor"], environment: environment)
            #expect(doctor.output.contains(finding), "\(doctor.output)")
        }
        var alone = installation.environment
        alone["KITH_OWNER_DATABASE_URL"] = alone.removeValue(forKey: "KITH_DATABASE_URL")
        alone["KITH_READ_DATABASE_URL"] = url
        let refused = try KithProcess.run(["tenant", "list"], environment: alone)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("requires KITH_DATABASE_URL"), "\(refused.errors)")
    }
}
