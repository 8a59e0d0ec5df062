import Crypto
import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// What `kith tenant move` refuses, takes back and finds again.
@Suite(.mayBlock) struct `A move that cannot be made` {
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
        try house.wait(for: first) { try house.session("east").query("select from kith.moving_tenants").rowCount > 0 }
        let second = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(
            second.status == 75 && second.errors.contains("another kith tenant move of acme is running"),
            "\(second.errors)")
        #expect(
            try house.kith("tenant", "move", "acme", "--to", "west").errors.contains("is being moved to east already"))
        try gate.execute("commit")
        #expect(first.wait() == 0, "\(first.standardError)")
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
        try house.wait(for: move) {
            try east.query("select internal.guarded_tables(\(acme.tenantID))").rowCount > 50
        }
        #expect(move.standardError.contains(/acme takes about [0-9]+ [kM]B in east: its disk has [0-9]+ MB free/))
        try disk.fill(leaving: 4 << 20)
        try gate.execute("commit")
        #expect(move.wait() == 75)
        #expect(move.standardError.contains("the disk of east is full"), "\(move.standardError)")
        #expect(move.standardOutput.contains("took the move back: acme stays in main"), "\(move.standardOutput)")
        try house.expectNothingLeft(main, east)
        #expect(try house.left(in: east, of: acme) == [])
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
        try house.kill(at: .copy, acme, to: "east", main, east)
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
        let row = try main.query("select to_json(tenant) from kith.tenants as tenant where slug = 'acme'").string(0, 0)
        let moved = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(moved.status == 0, "\(moved.errors)")
        try main.execute("update kith.tenant_cells set cell = 'main' where slug = 'acme'")
        let misplaced = try house.kith("doctor").output
        #expect(misplaced.contains("WRONG  cell main: the map places acme here, which has moved"), "\(misplaced)")
        let unmoved = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(
            unmoved.status == 1 && unmoved.errors.contains("the map places acme in main, which does not have it"),
            "\(unmoved)")
        #expect(try main.query("select from kith.tenant_moves").rowCount == 0)

        // As after a restore of the directory to a time before the move: both serve the tenant, and no move mends it.
        try main.execute("delete from kith.moving_tenants")
        _ = try main.query(
            "insert into kith.tenants select * from json_populate_record(null::kith.tenants, $1::json)",
            [.text(try #require(row))])
        let doubled = try house.kith("doctor").output
        #expect(
            doubled.contains(/WRONG  cell east: acme is served by main and is also live here: .*It came here at 2/),
            "\(doubled)")
        let refused = try house.kith("tenant", "move", "acme", "--to", "east")
        #expect(refused.status == 1 && refused.errors.contains("main and east both serve acme"), "\(refused.errors)")
        #expect(try main.query("select from kith.tenant_moves").rowCount == 0)
        _ = try main.query("select internal.point_tenant(\(acme.tenantID), 'east', null)")
        let pointed = try house.kith("doctor").output
        let remedy = "kith tenant delete acme --reason 'copy from a restore' --cell main"
        #expect(pointed.contains("WRONG  cell main: acme is served by east and is also live here"), "\(pointed)")
        #expect(pointed.contains("fix: \(remedy)\n"), "\(pointed)")
        #expect(
            try house.kith("tenant", "delete", "acme", "--reason", "copy from a restore", "--cell", "main").status == 0)
        #expect(try !house.kith("doctor").output.contains("is also live here"))
        // The other way round, a copy that its cell purges keeps its place in the map.
        try main.execute(
            "update kith.tenant_cells set cell = 'main' where slug = 'acme'; "
                + "update kith.tenants set deleted_at = null where slug = 'acme'")
        #expect(try house.kith("tenant", "delete", "acme", "--reason", "copy", "--cell", "east").status == 0)
        try east.execute("update kith.tenants set deleted_at = now() - interval '1 hour'")
        let purged = try house.kith("tenant", "purge", "acme", "--confirm", "acme", "--cell", "east")
        #expect(purged.status == 0, "\(purged.errors)")
        #expect(try house.kith("tenant", "purge", "acme", "--confirm", "acme", "--cell", "east").status == 1)
        let kept = try main.query("select cell from kith.tenant_cells where slug = 'acme'")
        #expect(kept.string(0, 0) == "main")
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
        try house.expectNothingLeft(main, east)
        #expect(try house.left(in: east, of: acme) == [])
        try main.execute("update kith.tenants set name = 'Changed' where tenant_id = \(acme.tenantID)")
    }

    @Test func `goes on when its copy has found no replication slot for a while`() throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let (main, east) = (try house.installation.session(), try house.session("east"))
        func setCopies(_ setting: String) throws {
            for statement in ["alter system \(setting)", "select pg_reload_conf()"] { try east.execute(statement) }
        }
        // No copy of a table begins before the slots are taken.
        try setCopies("set max_sync_workers_per_subscription = 0")
        let move = try KithProcess(
            ["tenant", "move", "acme", "--to", "east"], environment: house.installation.environment)
        try house.wait(for: move) { try east.query("select from pg_subscription").rowCount > 0 }
        let take = "select pg_create_physical_replication_slot('other_' || $1::integer)"
        var slots = 0
        while (try? main.query(take, [.int(slots)])) != nil { slots += 1 }
        #expect(slots > 0)
        try setCopies("reset max_sync_workers_per_subscription")
        try house.wait(for: move) {
            // A worker of PostgreSQL that was just being started has missed the first signal.
            try east.execute("select pg_reload_conf()")
            let failures = "select sum(sync_error_count)::integer from pg_stat_subscription_stats"
            return try east.query(failures).int(0, 0) ?? 0 > 5
        }
        try main.execute(
            "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_type = 'physical'")
        #expect(move.wait() == 0, "\(move.standardError)")
        try house.expectNothingLeft(main, east)
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
}
