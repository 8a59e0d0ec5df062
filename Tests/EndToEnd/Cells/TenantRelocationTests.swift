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
        let canary = try house.kith("canary", "set", "acme", "--every", "1h", "--webhook", "https://example.com/canary")
        #expect(canary.status == 0, "\(canary.errors)")

        let load = WriteLoad(acme, client)
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
        #expect(try house.left(in: main, of: acme) == [])
        #expect(try main.query("select cell from kith.tenant_cells where slug = 'acme'").string(0, 0) == "east")
        try house.expectNothingLeft(main, east)
        // Its canary watches there, with a sender for each hour and the receiver.
        #expect(try house.kith("canary", "list").output.hasPrefix("cell=east tenant=acme channel=webhook"))
        #expect(try east.query("select count(*)::integer from kith.canary_people").int(0, 0) == 25)

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
        #expect(try house.left(in: east, of: acme) == [])
        try house.expectNothingLeft(main, east)
    }

    @Test func `goes on after it was killed at any step, or is taken back`() async throws {
        let house = try CellHouse(moving: ["east"])
        let (server, client) = try house.installation.serve()
        try house.awaitUse(of: "east", by: server)
        let acme = house.installation.acme
        let alice = try await Person.join(acme, as: "Alice", client)
        let (main, east) = (try house.installation.session(), try house.session("east"))
        var cell = "main"
        for step in CellHouse.MoveStep.allCases {
            let goal = cell == "main" ? "east" : "main"
            let (source, target) = cell == "main" ? (main, east) : (east, main)
            try house.kill(at: step, acme, to: goal, source, target)
            if step.isServedAtSource {
                #expect(
                    try await alice.send("PATCH", "/v1/me", #"{"display_name":"\#(step)"}"#).status == 200, "\(step)")
            }
            if step != .clean {
                let taken = try house.kith("tenant", "move", "acme", "--abort")
                #expect(taken.status == 0, "\(step): \(taken.errors)")
                try house.expectNothingLeft(main, east)
                #expect(try house.left(in: target, of: acme) == [])
                #expect(try await alice.send("PATCH", "/v1/me", #"{"display_name":"A"}"#).status == 200, "\(step)")
                try house.kill(at: step, acme, to: goal, source, target)
            }
            let moved = try house.kith("tenant", "move", "acme", "--to", goal)
            let log = moved.status == 0 ? "" : try CellHouse.newestLog(of: target)
            #expect(moved.status == 0, "\(step): \(moved.errors)\n\(log)")
            #expect(try await alice.send("PATCH", "/v1/me", #"{"display_name":"B"}"#).status == 200, "\(step)")
            #expect(try house.left(in: source, of: acme) == [])
            try house.expectNothingLeft(main, east)
            cell = goal
        }
    }

    @Test func `is served by one cell alone, whatever a server does`() throws {
        let house = try CellHouse(moving: ["east"], onOneServer: true)
        let (main, east) = (try house.installation.session(), try house.session("east"))
        let acme = house.installation.acme
        try house.kill(at: .hold, acme, to: "east", main, east)
        let write = "update kith.tenants set name = 'Changed' where tenant_id = \(acme.tenantID)"
        try main.execute(write)
        while try east.query("select name from kith.tenants where slug = 'acme'").string(0, 0) != "Changed" {
            usleep(10_000)
        }
        #expect(throws: PostgresError.self) { try east.execute(write) }
        #expect(throws: PostgresError.self) {
            try east.execute("delete from kith.tenant_usage where tenant_id = \(acme.tenantID)")
        }
        try house.kill(at: .clean, acme, to: "east", main, east)
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
        let people = try await MovedCredentials(house, client)
        #expect(try await people.answers().allSatisfy { $0.status == 200 })
        let main = try house.installation.session()

        // A server that stood still meanwhile reads the map when it needs it.
        server.signal(SIGSTOP)
        let moved = try house.kith("tenant", "move", "acme", "--to", "east")
        server.signal(SIGCONT)
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try house.left(in: main, of: acme) == [])
        let first = try await people.answers()
        #expect(first.allSatisfy { $0.status == 200 }, "\(first.map(\.text))")

        // One that cannot read it answers neither that somebody is unknown, nor that they have nothing.
        try main.execute("revoke execute on function api.cell_map(bigint) from kith_api")
        let stream = try await people.alice.listen()
        let back = try house.kith("tenant", "move", "acme", "--to", "main")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try house.left(in: house.session("east"), of: acme) == [])
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
        try house.expectNothingLeft(main, house.session("east"))
        // A tenant that has left keeps no cell.
        try CellHouse.check(house.kith("cell", "remove", "east"))
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
        try house.wait(for: move) { try main.query(quiet).rowCount > 0 }
        try house.wait(for: move) { try main.query(quiet).rowCount == 0 }
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
}
