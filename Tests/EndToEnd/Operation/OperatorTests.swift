import Foundation
import Glibc
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `The operator's day` {
    private let installation: Installation

    init() throws {
        installation = try Installation(offset: nil)
    }

    private func kith(_ arguments: [String], as login: String? = nil) throws -> (
        status: Int32, output: String, errors: String
    ) {
        // These work in one database, and the others find the tenant's or work in all.
        let isOfOne = ["psql", "session", "top"].contains(arguments.first)
        var environment = isOfOne ? installation.home : installation.environment
        if let login {
            environment["KITH_OWNER_DATABASE_URL"] = installation.postgres.server.url(
                database: Installation.database, user: login)
        }
        return try KithProcess.run(arguments, environment: environment)
    }

    @Test func `each person has a login, which reads or acts, for all tenants or for one`() throws {
        let made = try kith(["operator", "create", "rita", "--read-only", "--json"])
        #expect(made.status == 0, "\(made.errors)")
        let rita = try #require(try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: String])
        #expect(rita["login"] == "rita" && (rita["password"]?.count ?? 0) >= 40)
        #expect(try kith(["operator", "create", "anna", "--tenant", "acme"]).output.hasPrefix("login=anna password="))
        let verifier = try installation.session().query("select rolpassword from pg_authid where rolname = 'rita'")
        #expect(verifier.string(0, 0)?.hasPrefix("SCRAM-SHA-256$4096:") == true)

        // Who reads sees all tenants and changes none.
        let seen = try kith(["tenant", "list"], as: "rita")
        #expect(seen.output.contains("slug=acme") && seen.output.contains("slug=globex"), "\(seen.errors)")
        #expect(try kith(["tenant", "suspend", "acme", "--reason", "x"], as: "rita").status == 1)
        for arguments in [["contacts", "check"], ["contacts", "fix", "--reason", "x"], ["migrate", "--check"]] {
            let refused = try kith(arguments, as: "rita")
            #expect(refused.status == 1)
            #expect(
                refused.errors.hasPrefix("kith: your login may not do this (permission denied"),
                "\(arguments): \(refused.errors)")
        }
        // Who is bound acts for their tenant, and no other one exists for them.
        let own = try kith(["tenant", "list"], as: "anna")
        #expect(own.output.contains("slug=acme") && !own.output.contains("slug=globex"), "\(own.errors)")
        #expect(try kith(["tenant", "suspend", "acme", "--reason", "unpaid"], as: "anna").status == 0)
        let other = try kith(["tenant", "suspend", "globex", "--reason", "x"], as: "anna")
        #expect(other.status == 1 && other.errors.contains("There is no tenant 'globex'"), "\(other.errors)")
        #expect(try kith(["tenant", "resume", "acme"], as: "anna").output == "resumed acme\n")
        #expect(try kith(["operator", "create", "eve"], as: "anna").status == 1)
        let top = try kith(["top", "--once"], as: "anna")
        #expect(top.status == 1)
        #expect(
            top.errors
                == "kith: this login sees the tenant acme alone; kith top needs one that sees the whole installation\n")
        let unnamed = try kith(["psql", "-qAtXc", "select * from admin.find_user(null, 'Bob')"], as: "anna")
        #expect(unnamed.errors.contains("name it: p_tenant => 'acme'"), "\(unnamed.errors)")

        // The audit names them.
        let audit = try kith(["audit", "acme", "--limit", "2"])
        #expect(
            audit.output.contains(/^[0-9TZ:-]+ acme operator:anna tenant.resume acme\n/)
                && audit.output.contains(" acme operator:anna tenant.suspend acme\n    {\"reason\": \"unpaid\"}\n"),
            "\(audit.output)")
        #expect(try kith(["audit", "globex"], as: "anna").status == 1)
        #expect(try kith(["audit", "--limit", "0"]).status == 64)
        #expect(try kith(["audit", "nobody"]).errors.contains("there is no tenant nobody"))
        #expect(try kith(["audit", "--action", "operator.create", "--json"]).output.contains(#""subject":"rita""#))
        let misspelled = try kith(["audit", "--action", "operator.creat"])
        #expect(misspelled.status == 1 && misspelled.errors.contains("operator.create"), "\(misspelled.errors)")
        #expect(try kith(["audit", "--actor", "nosuch"]).errors == "kith: no act matches\n")

        #expect(try kith(["operator", "end", "rita"]).status == 0)
        #expect(try kith(["tenant", "list"], as: "rita").status != 0, "an ended operator cannot log in")
        let list = try kith(["operator", "list"]).output
        #expect(list.contains("login=rita may=reads tenant= state=ended"), "\(list)")
        for arguments in [
            ["operator"], ["operator", "create"], ["operator", "create", "rita"], ["operator", "create", "Rita"],
            ["operator", "create", "kith_x"], ["operator", "create", "otto", "--tenant", "nobody"],
            ["operator", "end", "otto"], ["operator", "fly"], ["operator", "list", "--read-only"],
        ] {
            let refused = try kith(arguments)
            #expect(refused.status != 0 && refused.errors.hasPrefix("kith: "), "\(arguments): \(refused)")
        }
    }

    @Test func `who reads of a person is noted, by procedure and person`() throws {
        #expect(try kith(["operator", "create", "rita", "--read-only"]).status == 0)
        let session = try installation.session()
        try session.execute(
            """
            insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
            values (\(installation.acme.tenantID), '0b0b0000-0000-7000-8000-000000000001', 'Bob Example', now(), now(), now())
            """)
        let find = "select next from admin.find_user(null, 'bob example', '2027-03-10')"
        let found = try kith(["psql", "-qAtXc", find], as: "rita")
        #expect(found.output.contains("story_of_user('acme', '0b0b0000-"), "\(found.errors)")
        let next = found.output.trimmingCharacters(in: .newlines)
        #expect(try kith(["psql", "-qAtXc", next], as: "rita").status == 0)
        // A program reads by the extended protocol.
        _ = try PostgresSession(url: installation.url(of: "rita")).query(next)
        // In a transaction that reads only, nothing can be noted but in PostgreSQL's log.
        let readOnly = try kith(["psql", "-qAtXc", "begin read only", "-c", next, "-c", "commit"], as: "rita")
        #expect(readOnly.status == 0, "\(readOnly.errors)")
        // One that is left open would hold back everybody's events.
        let open = try PostgresSession(url: installation.url(of: "rita"))
        try open.execute("begin")
        let age = "select statement_timestamp() - transaction_timestamp() > interval '1 second'"
        while try open.query(age).bool(0, 0) == false { usleep(50_000) }
        _ = try open.query(next)
        #expect(try open.query("select pg_current_xact_id_if_assigned() is null").bool(0, 0) == true)
        try open.execute("commit")
        let noted = try kith(
            ["psql", "-AtXc", "select login, statement, tenant, subject, reads from admin.reads order by statement"])
        let bob = "acme|0b0b0000-0000-7000-8000-000000000001"
        #expect(noted.output == "rita|find_user|\(bob)|1\nrita|story_of_user|\(bob)|2\n", "\(noted.errors)")
        #expect(try kith(["psql", "-AtXc", "delete from kith.operator_reads"]).status != 0, "nobody takes it back")
    }

    @Test func `a forgotten transaction is shown, and ended by name`() throws {
        #expect(try kith(["operator", "create", "oscar"]).status == 0)
        let url = installation.url(of: "oscar")
        let forgotten = try PostgresSession(url: url)
        // The session has written, so it holds the feed back. The view shows it after 5 s.
        try forgotten.execute("begin; select admin.set_tenant('acme', '{\"grace_minutes\": 60}')")
        let pid = try #require(try forgotten.query("select pg_backend_pid()").int(0, 0))
        let session = try installation.session()
        let shown = "select login, holds, remedy from admin.long_transactions where pid = $1::integer"
        var found = try session.query(shown, [.int(pid)])
        while found.rowCount == 0 {
            usleep(200_000)
            found = try session.query(shown, [.int(pid)])
        }
        #expect(found.string(0, 0) == "oscar")
        #expect(found.string(0, 1)?.hasPrefix("the feed: no stream and no webhook gets a newer event; vacuum") == true)
        let ended = try kith(["psql", "-qAtXc", try #require(found.string(0, 2))])
        #expect(ended.output.hasPrefix("ended the session of oscar"), "\(ended.errors)")
        #expect(throws: PostgresError.self) { try forgotten.execute("commit") }
        #expect(try kith(["audit", "--action", "session.end"]).output.contains("session.end \(pid)"))

        // A superuser's session only a superuser ends, and the refusal says how.
        let superuser = try installation.session()
        try superuser.execute("begin; select pg_current_xact_id()")
        let other = try #require(try superuser.query("select pg_backend_pid()").int(0, 0))
        let refused = try kith(["psql", "-qAtXc", "select admin.end_session(\(other), 'forgotten')"])
        #expect(refused.errors.contains("kith session end \(other) --reason 'why'"), "\(refused.errors)")
        #expect(try kith(["session", "end", "\(other)"]).errors.contains("takes --reason TEXT"))
        #expect(try kith(["session", "end", "none", "--reason", "x"]).errors.contains("none is no PID"))
        #expect(try kith(["session", "stop", "1", "--reason", "x"]).errors.contains("session takes end"))
        let unknown = try kith(["session", "end", "1", "--reason", "x"])
        #expect(unknown.errors.contains("No other session has the process 1"))
        let superusers = try kith(["session", "end", "\(other)", "--reason", "forgotten again"])
        #expect(superusers.output.hasPrefix("ended the session of postgres, whose"), "\(superusers.errors)")
        #expect(throws: PostgresError.self) { try superuser.execute("commit") }
        #expect(try kith(["audit", "--action", "session.end"]).output.contains("forgotten again"))
    }

    @Test func `a login that only reads, or is bound to one tenant, cannot hold up everybody's events`() throws {
        #expect(try kith(["operator", "create", "ruth", "--read-only"]).status == 0)
        #expect(try kith(["operator", "create", "olaf", "--tenant", "acme"]).status == 0)
        #expect(try kith(["operator", "create", "ingo"]).status == 0)
        let sessions = try ["ruth", "olaf", "ingo"].map { login in
            let session = try PostgresSession(url: installation.url(of: login))
            // A session can change what its role is set to.
            try session.execute("set idle_in_transaction_session_timeout = 0; begin; select pg_current_xact_id()")
            return session
        }
        let reading = try PostgresSession(url: installation.url(of: "olaf"))
        try reading.execute("begin; select * from admin.tenants")
        let session = try installation.session()
        func ended(_ seconds: Int, after which: String) throws -> Int? {
            try session.query(
                """
                select worker.end_readers((
                  select \(which)(xact_start) from pg_stat_activity where usename in ('ruth', 'olaf') and backend_xid is not null
                ) + interval '\(seconds) seconds')
                """
            ).int(0, 0)
        }
        #expect(try ended(4, after: "min") == 0, "not within 5 seconds")
        #expect(try ended(5, after: "max") == 2)
        #expect(throws: PostgresError.self) { try sessions[0].execute("commit") }
        #expect(throws: PostgresError.self) { try sessions[1].execute("commit") }
        try sessions[2].execute("commit")
        try reading.execute("commit")
        let audit = try kith(["audit", "--action", "session.end"]).output
        #expect(audit.contains(#""login": "ruth""#) && audit.contains(#""login": "olaf""#), "\(audit)")
    }

    @Test func `a command that somebody's transaction holds up ends, and names the transaction`() throws {
        let forgotten = try installation.session()
        try forgotten.execute("begin; select admin.set_tenant('globex', '{\"grace_minutes\": 60}')")
        let pid = try #require(try forgotten.query("select pg_backend_pid()").int(0, 0))
        let held = try kith(["tenant", "suspend", "globex", "--reason", "unpaid"])
        #expect(held.status == 75)
        #expect(
            held.errors.hasPrefix(
                "kith: another transaction holds what this needs, so nothing was changed\nkith: process "),
            "\(held.errors)")
        #expect(held.errors.contains("process \(pid) of "), "\(held.errors)")
        #expect(held.errors.contains("(idle in transaction for "), "\(held.errors)")
        #expect(held.errors.contains("kith session end \(pid) --reason 'why'"), "\(held.errors)")
        try forgotten.execute("rollback")
        #expect(try kith(["tenant", "suspend", "globex", "--reason", "unpaid"]).status == 0)
        #expect(try kith(["tenant", "resume", "globex"]).status == 0)
    }

    @Test func `a server counts its tenants' requests, and says when it stops`() async throws {
        let (server, client) = try installation.serve()
        #expect(try await client.send("GET", "/v1/tenant", as: installation.acme.secretKey).status == 200)
        #expect(try await client.send("GET", "/v1/users/\(UUID().text)", as: installation.acme.secretKey).status == 404)
        let session = try installation.session()
        while try session.query("select from kith.heartbeats where component = 'server'").rowCount == 0 { usleep(5000) }
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let usage = try session.query(
            "select tenant, caller, sum(requests)::integer, sum(refused)::integer from admin.usage group by 1, 2")
        #expect(usage.rowCount == 1)
        #expect(usage.string(0, 0) == "acme" && usage.string(0, 1) == "key first")
        #expect(usage.int(0, 2) == 2 && usage.int(0, 3) == 1)
        let instance = try session.query("select state, version from admin.instances where component = 'server'")
        #expect(instance.string(0, 0) == "stopped" && instance.string(0, 1)?.isEmpty == false)
        let top = try kith(["top", "--once"])
        #expect(top.output.contains("BUSIEST since the last full hour"), "\(top.output) \(top.errors)")
        #expect(top.output.contains("acme key first"), "\(top.output)")
        #expect(!top.output.contains("beat 0 s ago"), "a stopped server is not shown as running: \(top.output)")
    }

    @Test func `the plan of a migration is shown before it runs`() throws {
        #expect(try kith(["migrate", "--plan"]).status == 64)
        let current = try kith(["migrate", "--check", "--plan"])
        #expect(current.status == 0 && current.output.contains("no migration is missing"), "\(current)")
        let session = try installation.session()
        try session.execute("delete from internal.migrations where number = 15")
        let missing = try kith(["migrate", "--check", "--plan"])
        #expect(missing.status == 1 && missing.output.contains("0015_"), "\(missing)")
    }
}
