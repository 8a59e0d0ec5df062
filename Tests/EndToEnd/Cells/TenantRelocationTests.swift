import Crypto
import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// `kith tenant move SLUG --to CELL` (decision 51).
@Suite(.mayBlock) struct `A tenant that moves to another cell` {
    @Test func `takes everything along while it is in use, loses no write, and comes back`() async throws {
        let house = try CellHouse(moving: ["east"])
        let (server, client) = try house.installation.serve()
        try house.awaitUse(of: "east", by: server)
        let acme = house.installation.acme
        let pair = try await Pair(acme, client)
        let other = try await Person.join(house.installation.globex, as: "Greta", client)
        let stream = try await pair.bob.listen()
        try await pair.pause()
        _ = try await stream.next("notification")
        let position = try #require(stream.lastEventID)
        let body = #"{"display_name":"Once"}"#
        let once = try await client.send(
            "POST", "/v1/users", body, as: acme.secretKey, headers: ["Idempotency-Key": "once"])
        #expect(once.status == 201)

        let load = Load(acme, client)
        let moved = try await load.during { try house.kith("tenant", "move", "acme", "--to", "east") }
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.output.contains(/writes of acme waited for [0-9]+ ms/), "\(moved.output)")
        let (done, refused) = (await load.done, await load.refused)
        #expect(refused.isEmpty, "\(refused)")
        let east = try house.session("east")
        let main = try house.installation.session()
        let names = try east.query("select display_name from kith.users where display_name like 'load %'")
        let found = (0..<names.rowCount).compactMap { names.string($0, 0) }
        #expect(Set(found).count == found.count, "no write was done twice")
        #expect(Set(found) == Set(done), "no acknowledged write is lost")
        #expect(found.count > 20)
        #expect(try left(in: main, of: acme) == [])
        #expect(try main.query("select cell from kith.tenant_cells where slug = 'acme'").string(0, 0) == "east")
        try expectNothingLeft(main, east)

        // Tokens, secret keys, kept answers and connections go on.
        #expect(try await pair.alice.send("GET", "/v1/me").status == 200)
        #expect(try await other.send("GET", "/v1/me").status == 200)
        let again = try await client.send(
            "POST", "/v1/users", body, as: acme.secretKey, headers: ["Idempotency-Key": "once"])
        #expect(again.status == 201 && again.body == once.body, "\(again.text)")
        _ = try await Person.join(acme, as: "Carol", client)

        // The stream has ended. A position of the other database makes the client ask for everything.
        while try await stream.next() != nil {}
        let resumed = try await pair.bob.listen(after: position)
        #expect(try await resumed.next("reset").data["reason"]?.string == "unknown")
        try await pair.resume()
        _ = try await resumed.next("notification")

        // And back.
        let back = try house.kith("tenant", "move", "acme", "--to", "main")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try await pair.alice.send("GET", "/v1/me").status == 200)
        #expect(try await pair.bob.notifications().count >= 2)
        #expect(try left(in: east, of: acme) == [])
        try expectNothingLeft(main, east)
    }

    @Test func `goes on after it was killed at any step, or is taken back`() async throws {
        let house = try CellHouse(moving: ["east"])
        let (server, client) = try house.installation.serve()
        try house.awaitUse(of: "east", by: server)
        let acme = house.installation.acme
        let alice = try await Person.join(acme, as: "Alice", client)
        let (main, east) = (try house.installation.session(), try house.session("east"))
        var cell = "main"
        for step in Step.allCases {
            let goal = cell == "main" ? "east" : "main"
            let (source, target) = cell == "main" ? (main, east) : (east, main)
            try kill(at: step, acme, to: goal, house, source, target)
            if step.isServedAtSource {
                #expect(
                    try await alice.send("PATCH", "/v1/me", #"{"display_name":"\#(step)"}"#).status == 200, "\(step)")
            }
            if step != .clean {
                let taken = try house.kith("tenant", "move", "acme", "--abort")
                #expect(taken.status == 0, "\(step): \(taken.errors)")
                try expectNothingLeft(main, east)
                #expect(try left(in: target, of: acme) == [])
                #expect(try await alice.send("PATCH", "/v1/me", #"{"display_name":"A"}"#).status == 200, "\(step)")
                try kill(at: step, acme, to: goal, house, source, target)
            }
            let moved = try house.kith("tenant", "move", "acme", "--to", goal)
            #expect(moved.status == 0, "\(step): \(moved.errors)")
            #expect(try await alice.send("PATCH", "/v1/me", #"{"display_name":"B"}"#).status == 200, "\(step)")
            #expect(try left(in: source, of: acme) == [])
            try expectNothingLeft(main, east)
            cell = goal
        }
    }

    @Test func `is refused before anything changes`() throws {
        let house = try CellHouse(moving: ["east", "west"], onOneServer: true)
        func refusal(_ arguments: String...) throws -> String {
            let refused = try KithProcess.run(
                ["tenant", "move"] + arguments, environment: house.installation.environment)
            #expect(refused.status != 0, "\(arguments)")
            #expect(try house.installation.session().query("select from kith.tenant_moves").rowCount == 0)
            #expect(try house.session("east").query("select from kith.moving_tenants").rowCount == 0)
            return refused.errors
        }
        #expect(try refusal("acme").contains("takes --to CELL, or --abort"))
        #expect(try refusal("acme", "--to", "north").contains("there is no cell north"))
        #expect(try refusal("nobody", "--to", "east").contains("no tenant nobody"))
        #expect(try refusal("acme", "--to", "main").contains("lives in the cell main already"))
        #expect(try refusal("acme", "--abort").contains("is not being moved"))
        #expect(
            try refusal("acme", "--to", "east", "--source", "postgresql://127.0.0.1:1/kith")
                .contains("the PostgreSQL of east does not reach main"))
        try CellHouse.check(house.kith("cell", "close", "east"))
        #expect(try refusal("acme", "--to", "east").contains("is closed"))
        try CellHouse.check(house.kith("cell", "open", "east"))
        let east = try house.session("east")
        try east.execute("update internal.migrated_schemas set checksum = 'old ' || checksum")
        #expect(try refusal("acme", "--to", "east").contains("the schema of another release"))
        try east.execute("update internal.migrated_schemas set checksum = substr(checksum, 5)")
        let main = try house.installation.session()
        // Sealed with another master key.
        try main.execute(
            """
            insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
            select tenant_id, 'sms', '\\x00', '{}', now(), now() from kith.tenants where slug = 'acme'
            """)
        #expect(try refusal("acme", "--to", "east").contains("KITH_MASTER_KEY is not the key of this database"))
        try main.execute("delete from kith.channel_credentials")
        try main.execute("create role plain login; grant kith_owner, kith_admin to plain")
        let plain = house.installation.url.replacing("postgres@", with: "plain@").replacing(
            "user=postgres", with: "user=plain")
        let weak = try KithProcess.run(
            ["tenant", "move", "acme", "--to", "east"],
            environment: house.installation.environment.merging(["KITH_OWNER_DATABASE_URL": plain]) { $1 })
        #expect(weak.status != 0 && weak.errors.contains("is no superuser"), "\(weak.errors)")

        let plainHouse = try CellHouse(["east"], offset: nil)
        try plainHouse.addAll()
        let replica = try plainHouse.kith("tenant", "move", "acme", "--to", "east")
        #expect(replica.status == 78 && replica.errors.contains("its wal_level is replica"), "\(replica.errors)")
        let doctor = try plainHouse.kith("doctor").output
        #expect(doctor.contains("WRONG  cell main: tenants cannot move: its wal_level is replica"), "\(doctor)")

        // Two at once, and elsewhere. Both cells are databases of one server.
        let gate = try house.installation.session()
        try gate.execute("begin; lock table kith.users in row exclusive mode")
        let first = try KithProcess(
            ["tenant", "move", "acme", "--to", "east"], environment: house.installation.environment)
        try wait(for: first) { try house.session("east").query("select from kith.moving_tenants").rowCount > 0 }
        let second = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(
            second.status == 75 && second.errors.contains("another kith tenant move of acme is running"),
            "\(second.errors)")
        #expect(
            try house.kith("tenant", "move", "acme", "--to", "west").errors.contains("is being moved to east already"))
        try gate.execute("commit")
        #expect(first.wait() == 0, "\(first.standardError)")
    }

    @Test func `is served by one cell alone, whatever a server does`() throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let (main, east) = (try house.installation.session(), try house.session("east"))
        let acme = house.installation.acme
        try kill(at: .hold, acme, to: "east", house, main, east)
        let write = "update kith.tenants set name = 'Changed' where tenant_id = \(acme.tenantID)"
        try main.execute(write)
        while try east.query("select name from kith.tenants where slug = 'acme'").string(0, 0) != "Changed" {
            usleep(10_000)
        }
        #expect(throws: PostgresError.self) { try east.execute(write) }
        #expect(throws: PostgresError.self) {
            try east.execute("delete from kith.tenant_usage where tenant_id = \(acme.tenantID)")
        }
        try kill(at: .clean, acme, to: "east", house, main, east)
        #expect(throws: PostgresError.self) { try main.execute(write) }
        try east.execute(write)
        #expect(try house.kith("tenant", "move", "acme", "--abort").errors.contains("east serves acme already"))
        try CellHouse.check(house.kith("tenant", "move", "acme", "--to", "east"))
    }

    @Test func `signs nobody out at a server that has not read the map since`() async throws {
        let house = try CellHouse(moving: ["east"])
        let acme = house.installation.acme
        try CellHouse.check(house.kith("tenant", "set", "acme", "universal_link_host=acme.example"))
        let (server, client) = try house.installation.serve()
        try house.awaitUse(of: "east", by: server)
        let people = try await Credentials(house, client)
        #expect(try await people.answers().allSatisfy { $0.status == 200 })
        let main = try house.installation.session()

        // A server that stood still meanwhile reads the map when it needs it.
        server.signal(SIGSTOP)
        let moved = try house.kith("tenant", "move", "acme", "--to", "east")
        server.signal(SIGCONT)
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try left(in: main, of: acme) == [])
        let first = try await people.answers()
        #expect(first.allSatisfy { $0.status == 200 }, "\(first.map(\.text))")

        // One that cannot read it answers neither that somebody is unknown, nor that they have nothing.
        try main.execute("revoke execute on function api.cell_map(bigint) from kith_api")
        let stream = try await people.alice.listen()
        let back = try house.kith("tenant", "move", "acme", "--to", "main")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try left(in: house.session("east"), of: acme) == [])
        // Their streams end, since no event would come there any more.
        while try await stream.next() != nil {}
        for answer in try await people.answers() {
            #expect(answer.status == 503, "\(answer.text)")
            #expect(answer.headers["retry-after"] != nil, "\(answer.text)")
        }
        // Others are served as before. A secret that nobody has may be of somebody whose cell the server does not know.
        let globex = house.installation.globex
        #expect(try await client.exchange("GET", "/v1/tenant", as: globex.secretKey).status == 200)
        let unknown = "kith_sk_\(globex.tenantID)_unknown"
        #expect(try await client.exchange("GET", "/v1/tenant", as: unknown).status == 503)

        try main.execute("grant execute on function api.cell_map(bigint) to kith_api")
        let last = try await people.answers()
        #expect(last.allSatisfy { $0.status == 200 }, "\(last.map(\.text))")
        #expect(try await client.exchange("GET", "/v1/tenant", as: unknown).status == 401)
        try expectNothingLeft(main, house.session("east"))
        // A tenant that has left keeps no cell.
        try CellHouse.check(house.kith("cell", "remove", "east"))
    }

    @Test(.enabled(if: SmallDisk.isPossible)) func `is refused, or taken back, when its new cell has no room`()
        async throws
    {
        let house = try CellHouse(moving: ["east"])
        let acme = house.installation.acme
        let outside = try house.outsideSession("east")
        let disk = try SmallDisk(for: "east", of: outside, spare: 120 << 20)
        let (server, client) = try house.installation.serve()
        try house.awaitUse(of: "east", by: server)
        let alice = try await Person.join(acme, as: "Alice", client)
        let (main, east) = (try house.installation.session(), try house.session("east"))
        try main.execute(
            """
            insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
            select \(acme.tenantID), gen_random_uuid(), 'User ' || number, now(), now(), now() from generate_series(1, 60000) as number;
            analyze kith.users
            """)

        try disk.fill(leaving: 4 << 20)
        let refused = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(refused.status == 75 && refused.errors.contains("the cell east: its disk has"), "\(refused.errors)")
        #expect(try main.query("select from kith.tenant_moves").rowCount == 0)
        #expect(try east.query("select from kith.moving_tenants").rowCount == 0)

        // The disk fills while the rows are copied.
        try disk.clear()
        let gate = try house.session("east")
        try gate.execute("begin; lock table kith.users in row exclusive mode")
        let move = try KithProcess(
            ["tenant", "move", "acme", "--to", "east"], environment: house.installation.environment)
        try wait(for: move) {
            try east.query("select internal.guarded_tables(\(acme.tenantID))").rowCount > 50
        }
        #expect(move.standardError.contains(/acme takes about [0-9]+ [kM]B in east: its disk has [0-9]+ MB free/))
        try disk.fill(leaving: 4 << 20)
        try gate.execute("commit")
        #expect(move.wait() == 75)
        #expect(move.standardError.contains("the disk of east is full"), "\(move.standardError)")
        #expect(move.standardOutput.contains("took the move back: acme stays in main"), "\(move.standardOutput)")
        try expectNothingLeft(main, east)
        #expect(try left(in: east, of: acme) == [])
        #expect(try await alice.send("PATCH", "/v1/me", #"{"display_name":"A"}"#).status == 200)

        try disk.clear()
        let moved = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try await alice.send("PATCH", "/v1/me", #"{"display_name":"B"}"#).status == 200)
    }

    @Test func `is named by kith doctor while it stands still, with what is left of it`() throws {
        let house = try CellHouse(moving: ["east"])
        let acme = house.installation.acme
        let (main, east) = (try house.installation.session(), try house.session("east"))
        let ready = try house.kith("doctor").output
        for line in [
            "no tenant is being moved to another cell", "cell main: tenants can move from here and to here",
            "cell main: its PostgreSQL reaches east", "cell east: tenants can move from here and to here",
            "cell east: its PostgreSQL reaches main",
        ] {
            #expect(ready.contains("ok     \(line)\n"), "\(ready)")
        }
        try kill(at: .copy, acme, to: "east", house, main, east)
        let standing = try house.kith("doctor").output
        #expect(
            standing.contains(
                /WRONG  the move of acme from main to east stands still at the step copy, and main keeps/),
            "\(standing)")
        #expect(standing.contains("fix: kith tenant move acme --to east, which goes on, or"), "\(standing)")

        // As after a restore of the directory.
        try main.execute(
            "create temporary table kept as select * from kith.tenant_moves; delete from kith.tenant_moves")
        let left = try house.kith("doctor").output
        let name = "kith_move_\(acme.tenantID)"
        for line in ["east: the subscription \(name)", "main: the slot \(name)", "main: the publication \(name)"] {
            #expect(left.contains("WRONG  cell \(line) is left of a move"), "\(left)")
        }
        try main.execute("insert into kith.tenant_moves select * from kept")
        let moved = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(moved.status == 0, "\(moved.errors)")
        try main.execute("update kith.tenant_cells set cell = 'main' where slug = 'acme'")
        let misplaced = try house.kith("doctor").output
        #expect(misplaced.contains("WRONG  cell main: the map places acme here, which has moved"), "\(misplaced)")
    }

    @Test func `is taken back when its rows cannot be written`() async throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let acme = house.installation.acme
        let (main, east) = (try house.installation.session(), try house.session("east"))
        try east.execute("alter table kith.api_keys add constraint none check (name <> 'first')")
        let failed = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(failed.status == 75, "\(failed.errors)")
        #expect(failed.errors.contains("the rows do not arrive in east; the log of its PostgreSQL says why"))
        #expect(failed.output.contains("took the move back: acme stays in main"), "\(failed.output)")
        try expectNothingLeft(main, east)
        #expect(try left(in: east, of: acme) == [])
        try main.execute("update kith.tenants set name = 'Changed' where tenant_id = \(acme.tenantID)")
    }

    @Test func `goes on when its copy has found no replication slot for a while`() throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let acme = house.installation.acme
        let (main, east) = (try house.installation.session(), try house.session("east"))
        try kill(at: .copy, acme, to: "east", house, main, east)
        let name = "kith_move_\(acme.tenantID)"
        try east.execute("alter subscription \(name) disable")
        var slots = 0
        func takeSlots() {
            let take = "select pg_create_physical_replication_slot('other_' || $1::integer, false, true)"
            while (try? main.query(take, [.int(slots)])) != nil { slots += 1 }
        }
        takeSlots()
        #expect(slots > 0)
        let move = try KithProcess(
            ["tenant", "move", "acme", "--to", "east"], environment: house.installation.environment)
        try east.execute("alter subscription \(name) enable")
        try wait(for: move) {
            // A copy that was begun before it was killed may end, and leave its slot.
            takeSlots()
            let failures = "select sum(sync_error_count)::integer from pg_stat_subscription_stats"
            return try east.query(failures).int(0, 0) ?? 0 > 5
        }
        try main.execute(
            """
            select pg_drop_replication_slot(slot_name) from pg_replication_slots where temporary and slot_name like \
            'other%'
            """)
        #expect(move.wait() == 0, "\(move.standardError)")
        try expectNothingLeft(main, east)
    }

    @Test func `leaves no password in the log of the target`() throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let url = house.installation.url.replacing("postgres@", with: "postgres:my-password@").replacing(
            "user=postgres", with: "user=postgres&password=my-password")
        try #require(url.contains("my-password"))
        let failed = try KithProcess.run(
            ["tenant", "move", "acme", "--to", "east", "--source", "postgresql://127.0.0.1:1/kith"],
            environment: house.installation.environment.merging(["KITH_OWNER_DATABASE_URL": url]) { $1 })
        #expect(failed.status != 0)
        let log = try house.session("east").query(
            "select pg_read_file(current_setting('data_directory') || '/../postgres.log')")
        #expect(log.string(0, 0)?.contains("could not connect to the publisher") == true)
        #expect(log.string(0, 0)?.contains("my-password") == false)
    }

    @Test func `is told of its alarms while it waits for a transaction or for the end of an outage`() throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let acme = house.installation.acme
        let (main, east, gate) = (
            try house.installation.session(), try house.session("east"), try house.installation.session()
        )
        // A transaction that has written for the tenant, and does not end.
        try gate.execute("begin")
        _ = try gate.query("select pg_advisory_xact_lock_shared(internal.move_lock(), \(acme.tenantID))")
        let move = try KithProcess(
            ["tenant", "move", "acme", "--to", "east"], environment: house.installation.environment)
        let quiet = "select from kith.tenant_imports"
        try wait(for: move) { try main.query(quiet).rowCount > 0 }
        try wait(for: move) { try main.query(quiet).rowCount == 0 }
        try gate.execute("rollback")
        #expect(move.wait() == 0, "\(move.standardError)")

        // Pings whose deadline fell into an outage are judged 15 minutes after it.
        try east.execute(
            """
            update kith.moving_tenants set came_at = came_at - interval '1 day';
            insert into kith.outages (component, began_at, ended_at) values ('server', now() - interval '2 hours', now())
            """)
        let back = try KithProcess(
            ["tenant", "move", "acme", "--to", "main"], environment: house.installation.environment)
        _ = try back.waitForLog("no missed check-in is judged there until 15 minutes")
        #expect(try east.query(quiet).rowCount == 0)
        try east.execute("update kith.outages set ended_at = ended_at - interval '15 minutes'")
        #expect(back.wait() == 0, "\(back.standardError)")
        #expect(try main.query("select from kith.suspensions where tenant_id = \(acme.tenantID)").rowCount > 0)
    }

    // MARK: - Steps

    /// Where a move is killed.
    private enum Step: CaseIterable {
        case guarding
        case copy
        case hold
        case spread
        case clean

        var isServedAtSource: Bool { self != .clean && self != .spread }
    }

    /// Starts a move and kills it at a step.
    private func kill(
        at step: Step, _ tenant: Installation.Tenant, to cell: String, _ house: CellHouse, _ source: PostgresSession,
        _ target: PostgresSession
    ) throws {
        let directory = try house.installation.session()
        let gate = cell == "east" ? try house.installation.session() : try house.session("east")
        switch step {
        case .guarding: try gate.execute("begin; lock table kith.users in row exclusive mode")
        case .hold:
            // A transaction that has written for the tenant, and does not end.
            try gate.execute("begin")
            _ = try gate.query("select pg_advisory_xact_lock_shared(internal.move_lock(), \(tenant.tenantID))")
        case .copy, .spread, .clean: break
        }
        let move = try KithProcess(
            ["tenant", "move", tenant.slug, "--to", cell], environment: house.installation.environment)
        let name = "kith_move_\(tenant.tenantID)"
        if step == .clean {
            try wait(for: move) {
                try directory.query("select from kith.tenant_moves where step = 'switch'").rowCount > 0
            }
            // The rows of the source cannot be deleted.
            try gate.execute("begin; lock table kith.history in share mode")
        }
        try wait(for: move) {
            switch step {
            case .guarding: try source.query("select internal.guarded_tables(\(tenant.tenantID))").rowCount > 50
            case .copy: try target.query("select from pg_subscription where subname = '\(name)'").rowCount > 0
            case .hold:
                try source.query(
                    """
                    select from pg_locks where locktype = 'advisory' and not granted and classid = \
                    internal.move_lock()
                    """
                ).rowCount > 0
            case .spread: try directory.query("select from kith.tenant_moves where step = 'switch'").rowCount > 0
            case .clean: try directory.query("select from kith.tenant_moves where step = 'clean'").rowCount > 0
            }
        }
        move.signal(SIGKILL)
        move.wait()
        if step == .guarding || step == .hold || step == .clean { try gate.execute("rollback") }
        let claimed =
            "select from pg_locks where locktype = 'advisory' and classid::bigint - internal.move_lock() in (0, 1, 2)"
        for session in [source, target] { while try session.query(claimed).rowCount > 0 { usleep(10_000) } }
    }

    /// Waits until a question is answered with yes, or the process ends.
    private func wait(for process: KithProcess, until question: () throws -> Bool) throws {
        while try !question() {
            guard process.isRunning else { throw KithProcess.Failure(description: process.standardError) }
            usleep(2_000)
        }
    }

    // MARK: - What is left

    private func left(in session: PostgresSession, of tenant: Installation.Tenant) throws -> [String] {
        let rows = try session.query(
            """
            select name from internal.rows_of_tenant(\(tenant.tenantID)) where rows > 0 and name not in \
            ('tenant_cells', 'moving_tenants')
            """
        )
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    private func expectNothingLeft(
        _ directory: PostgresSession, _ cell: PostgresSession, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try directory.query("select from kith.tenant_moves").rowCount == 0, sourceLocation: location)
        for session in [directory, cell] {
            for question in [
                "select from pg_publication", "select from pg_subscription", "select from pg_replication_slots",
                "select from pg_trigger where tgname like 'moving%'", "select from kith.tenant_imports",
                "select from kith.move_marks", "select from kith.moving_tenants where state not in ('here', 'gone')",
                """
                select from kith.moving_tenants where (state = 'gone') = exists (select from kith.tenants where slug \
                = 'acme')
                """,
            ] {
                #expect(try session.query(question).rowCount == 0, "\(question)", sourceLocation: location)
            }
        }
    }
}

/// The tenant's server, which makes users while the tenant moves.
private actor Load {
    private let tenant: Installation.Tenant
    private let client: APIClient
    private var isOver = false
    private(set) var done: [String] = []
    private(set) var refused: [String] = []

    init(_ tenant: Installation.Tenant, _ client: APIClient) {
        self.tenant = tenant
        self.client = client
    }

    func during<Value: Sendable>(_ body: @Sendable @escaping () throws -> Value) async throws -> Value {
        let writers = (0..<3).map { writer in Task { try await write(as: writer) } }
        while done.count < 10 { try await Task.sleep(for: .milliseconds(10)) }
        let value = try await Task.detached { try body() }.value
        let before = done.count
        while done.count < before + 10 { try await Task.sleep(for: .milliseconds(10)) }
        isOver = true
        for writer in writers { try await writer.value }
        return value
    }

    private func write(as writer: Int) async throws {
        var number = 0
        while !isOver {
            number += 1
            let name = "load \(writer) \(number)"
            let answer = try await client.exchange(
                "POST", "/v1/users", #"{"display_name":"\#(name)"}"#, as: tenant.secretKey)
            if answer.status == 201 { done.append(name) } else { refused.append("\(answer.status) \(answer.text)") }
        }
    }
}

/// What identifies the people of the tenant acme, their server and its pages.
private actor Credentials {
    private let client: APIClient
    private let key: String
    let alice: Person
    private let providersToken: String
    private var refreshToken: String
    /// A key from before there were numbers in keys.
    private let oldKey = "kith_sk_from_before"

    init(_ house: CellHouse, _ client: APIClient) async throws {
        let acme = house.installation.acme
        self.client = client
        key = acme.secretKey
        alice = try await Person.join(acme, as: "Alice", client)
        refreshToken = "kith_rt_\(acme.tenantID)_of_alice"
        try house.installation.session().execute(
            """
            insert into kith.api_keys (tenant_id, id, name, secret_hash, created_at)
            values (\(acme.tenantID), gen_random_uuid(), 'old', sha256('\(oldKey)'), now());
            with family as (
              insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
              values (\(acme.tenantID), gen_random_uuid(), '\(alice.id)', now(), now(), now() + interval '60 days')
              returning *
            )
            insert into kith.refresh_tokens (tenant_id, id, family_id, secret_hash, created_at, expires_at)
            select tenant_id, gen_random_uuid(), id, sha256('\(refreshToken)'), created_at, expires_at from family
            """)
        let provider = IdentityProvider(.es256)
        let added = try await client.exchange(
            "POST", "/v1/tenant/jwt-keys",
            #"{"issuer":"https://id.acme.example","audience":"acme-app","kid":"\#(provider.kid)","public_key":"\#(provider.escapedPEM)"}"#,
            as: key)
        let made = try await client.exchange(
            "POST", "/v1/users", #"{"display_name":"Ida","external_id":"ida"}"#, as: key)
        guard added.status < 300, made.status == 201 else { throw KithProcess.Failure(description: added.text) }
        let now = Int(Date().timeIntervalSince1970)
        providersToken = provider.token(
            #"{"iss":"https://id.acme.example","aud":["acme-app"],"sub":"ida","iat":\#(now),"exp":\#(now + 3600)}"#)
        // Servers read every few seconds which issuers and hosts lead to a tenant.
        for _ in 0..<100 where try await answers().contains(where: { $0.status != 200 }) {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The server's answers to each of them.
    func answers() async throws -> [APIClient.Answer] {
        let refreshed = try await client.exchange(
            "POST", "/v1/auth/refresh", #"{"refresh_token":"\#(refreshToken)"}"#)
        if refreshed.status == 200 { refreshToken = try refreshed.decode(Kith.SignIn.self).refreshToken }
        return [
            refreshed,
            try await client.exchange("GET", "/v1/me", as: alice.token),
            try await client.exchange("GET", "/v1/connections", as: alice.token),
            try await client.exchange("PATCH", "/v1/me", #"{"display_name":"Alice"}"#, as: alice.token),
            try await client.exchange("GET", "/v1/me", as: providersToken),
            try await client.exchange("GET", "/v1/tenant", as: key),
            try await client.exchange("GET", "/v1/tenant", as: oldKey),
            try await client.exchange("GET", "/join?t=acme&code=123456", headers: ["Accept": "text/html"]),
            try await client.exchange(
                "GET", "/join?code=123456", headers: ["Accept": "text/html", "Host": "acme.example"]),
        ]
    }
}
