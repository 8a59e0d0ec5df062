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
        try CellHouse.check(house.kith("tenant", "move", "acme", "--abort"))
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
                    "select from pg_locks where locktype = 'advisory' and not granted and classid = internal.move_lock()"
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
            "select name from internal.rows_of_tenant(\(tenant.tenantID)) where rows > 0 and name <> 'tenant_cells'")
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
                "select from kith.move_marks", "select from kith.moving_tenants where state <> 'here'",
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
