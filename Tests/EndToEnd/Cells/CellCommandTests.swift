import Counterparts
import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// `kith cell`, and the commands that work in cells (decision 51).
@Suite(.mayBlock) struct `The cells of an installation` {
    @Test func `have one master key, which is rotated in all of them`() throws {
        let house = try CellHouse(["east"], offset: nil)
        try house.addAll()
        _ = try house.tenant("osten", in: "east")
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).json")
        try Data(#"{"subject":"mailto:ops@osten.example"}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try CellHouse.check(house.kith("tenant", "channel", "set", "osten", "web_push", file.path))
        let old = try #require(house.installation.environment["KITH_MASTER_KEY"])
        let new = String(repeating: "6b", count: 32)
        func rotate(_ keys: String, _ more: String...) throws -> (status: Int32, output: String, errors: String) {
            try KithProcess.run(
                ["keys", "rotate"] + more,
                environment: house.installation.environment.merging(["KITH_MASTER_KEY": keys]) { $1 })
        }
        try house.close("east")
        let away = try rotate("\(new),\(old)")
        #expect(
            away.status == 75 && away.errors.contains("the cell east does not answer, so nothing was changed"),
            "\(away.errors)")
        try house.open("east")
        #expect(try rotate("\(new),\(old)", "--cell", "east").errors.contains("kith keys rotate takes no --cell"))
        let rotated = try rotate("\(new),\(old)")
        #expect(rotated.output.contains(/sealed [1-9][0-9]* keys with the new master key/), "\(rotated.errors)")
        #expect(rotated.output.contains(/Remove the old one from KITH_MASTER_KEY after 20[0-9-]+ [0-9:]+Z, not before/))
        #expect(try rotate(old).errors.contains("KITH_MASTER_KEY is not the key of this database"))
        #expect(try rotate(new).errors.contains("KITH_MASTER_KEY holds one key"))
    }

    @Test func `have one heartbeat, in which a cell that is well hides none that is not`() async throws {
        let house = try CellHouse(["east"], offset: nil)
        try house.addAll()
        let osten = try house.tenant("osten", in: "east")
        let providers = try Providers()
        // Nothing plans the notification's deliveries.
        try house.installation.tell(
            osten, people: 1, at: (Date() - 3600).formatted(.iso8601), in: house.session("east"))
        let worker = try KithProcess(
            ["worker"],
            environment: house.installation.environment.merging(providers.environment) { $1 }
                .merging(["KITH_BEAT_URL": providers.url("/named/beat"), "KITH_DELIVERY": "none"]) { $1 })
        let beats = try await providers.sink.waits { log in
            log.contains { $0["path"] as? String == "/named/beat/fail" }
        }
        worker.signal(SIGTERM)
        #expect(worker.wait() == 0)
        let late = beats.first { $0["path"] as? String == "/named/beat/fail" }
        let text = late?["body"] as? String ?? ""
        #expect(text.contains("cell east: late: oldest_unplanned_seconds\n"), "\(text)")
        #expect(text.contains("\noldest_unplanned_seconds 0\n"), "\(text)")
    }

    @Test func `are added, get tenants, are closed, and are removed when they are empty`() throws {
        let house = try CellHouse(["east", "west"], offset: nil)
        #expect(try house.kith("cell", "list").output == "", "one database is no cell")
        try house.addAll()
        let listed = try house.kith("cell", "list").output
        #expect(listed.contains(/name=east address=postgresql:\/\/.* is_open=t tenants=0/), "\(listed)")
        #expect(listed.contains(/name=main address=the directory is_open=t tenants=2/), "\(listed)")

        // The emptiest cell comes first, and a number is one tenant's in all cells.
        let first = try house.kith("tenant", "create", "first", "--name", "First", "--json")
        #expect(first.status == 0, "\(first.errors)")
        let second = try house.tenant("second", in: "west")
        let third = try house.kith("tenant", "create", "third", "--name", "Third")
        #expect(third.status == 0, "\(third.errors)")
        let map = try installed(house)
        #expect(map["first"] == "east" && map["second"] == "west" && map["acme"] == "main", "\(map)")
        let numbers = try house.installation.session().query("select count(distinct tenant_id) from kith.tenant_cells")
        #expect(numbers.int(0, 0) == map.count)
        #expect(try house.session("west").query("select tenant_id from kith.tenants").int(0, 0) == second.tenantID)

        // The commands find a tenant's cell, or are told one.
        #expect(try house.kith("tenant", "set", "second", "brand_name=Zwei").status == 0)
        #expect(
            try house.session("west").query("select brand_name from kith.tenants").string(0, 0) == "Zwei")
        #expect(try house.kith("tenant", "key", "list", "second").output.contains("name=first"))
        #expect(try house.kith("tenant", "list", "--cell", "west").output.contains("slug=second"))
        let sql = try house.kith("psql", "--cell", "west", "-Atc", "select slug from admin.tenants")
        #expect(sql.output == "second\n", "\(sql.errors)")
        #expect(try house.kith("migrate", "--check").output.contains("cell east:\nthe schema is current\n"))
        let doctor = try house.kith("doctor").output
        #expect(doctor.contains("ok     cell west: its database is the one in the map"), "\(doctor)")
        let paused = try house.kith("psql", "--cell", "west", "-c", "select admin.pause_channel('sms', null, 'down')")
        #expect(paused.status == 0, "\(paused.errors)")
        let remedied = try house.kith("doctor").output
        #expect(
            remedied.contains(#"fix: kith psql --cell west -c "select admin.resume_channel('sms', null)""#),
            "\(remedied)")
        #expect(
            try house.kith("top", "--once").output.hasPrefix(
                "CELL     main, one of 3; kith top --cell NAME shows another: east, west\n"))

        // Refusals.
        let taken = try house.kith("tenant", "create", "second", "--name", "Second", "--cell", "east")
        #expect(taken.status == 1 && taken.errors.contains("already, in the cell west"), "\(taken.errors)")
        #expect(try house.kith("tenant", "create", "second", "--name", "Second").errors.contains("There is a tenant"))
        #expect(try house.kith("tenant", "create", "acme", "--name", "Acme").errors.contains("There is a tenant"))
        #expect(try house.kith("cell", "remove", "west").errors.contains("The cell west has 1 tenants"))
        #expect(try house.kith("cell", "remove", "main").errors.contains("is the directory"))
        #expect(try house.kith("tenant", "list", "--cell", "north").errors.contains("there is no cell north"))
        #expect(try house.kith("serve", "--cell", "west").status == 64)
        let stray = try house.kith(
            "psql", "--cell", "west", "-c", "select * from admin.create_tenant('stray', 'Stray')")
        #expect(stray.errors.contains("is the cell west of an installation"), "\(stray.errors)")

        // A closed cell gets no tenants, and goes once it has none.
        #expect(try house.kith("cell", "close", "west").status == 0)
        #expect(try house.kith("tenant", "create", "x", "--name", "X", "--cell", "west").errors.contains("is closed"))
        #expect(try house.kith("tenant", "delete", "second", "--reason", "over").status == 0)
        try house.session("west").execute("update kith.tenants set deleted_at = now() - interval '6 minutes'")
        let purged = try house.kith("tenant", "purge", "second", "--confirm", "second")
        #expect(purged.status == 0, "\(purged.errors)")
        #expect(try installed(house)["second"] == nil)
        #expect(try house.kith("cell", "remove", "west").status == 0)
        #expect(try !house.kith("cell", "list").output.contains("name=west"))
        #expect(try house.kith("cell", "add", "south", CellHouse.address(house.urls["west"] ?? "")).status == 0)
    }

    @Test func `are all asked where somebody is, what happened to them and who is busy`() throws {
        let house = try CellHouse(["east"], offset: nil)
        try house.addAll()
        let osten = try house.tenant("osten", in: "east")
        let east = try house.session("east")
        try house.installation.tell(osten, people: 1, at: (Date() - 3600).formatted(.iso8601), in: east)
        try east.execute("update kith.users set phone = '+4930123456', phone_verified_at = now()")
        let person = try #require(try east.query("select id::text from kith.users").string(0, 0))
        let message = try #require(try east.query("select id::text from kith.notifications").string(0, 0))
        let found = try house.kith("find", "+49 30 123456")
        #expect(found.status == 0 && found.output.contains("tenant=osten user_id=\(person)"), "\(found)")
        #expect(
            try house.kith("find", "+49 30 123456", "--tenant", "osten", "--json").output.contains(
                "\"tenant\":\"osten\""))
        let nobody = try house.kith("find", "+49 30 654321")
        #expect(nobody.status == 1 && nobody.errors.contains("no user of any tenant has this contact"), "\(nobody)")
        #expect(try house.kith("find", "+49 30 123456", "--tenant", "acme").status == 1)
        let day = try house.kith("story", person)
        #expect(day.output.hasPrefix("person \(person) of the tenant osten, 20"), "\(day)")
        // An hour ago may have been yesterday.
        let date = String((Date() - 3600).formatted(.iso8601).prefix(10))
        let told = try house.kith("story", person, "--on", date)
        #expect(told.output.contains("\n    kith story \(message)\n"), "\(told)")
        #expect(try house.kith("story", message).output.hasPrefix("notification \(message) of the tenant osten"))
        #expect(try house.kith("story", UUID().uuidString).status == 66)
        #expect(try house.kith("story", "osten").status == 64)
        try east.execute(
            """
            insert into kith.usage_hours (tenant_id, hour, caller, requests, refused, faults, slow)
            values (\(osten.tenantID), date_trunc('hour', now(), 'UTC'), 'users', 4711, 0, 0, 0)
            """)
        let busiest = try house.kith("busiest")
        #expect(busiest.output.contains("cell=east tenant=osten caller=users requests=4711"), "\(busiest)")
        try house.close("east")
        let away = try house.kith("find", "+49 30 123456")
        #expect(away.status == 75 && away.errors.contains("the cell east"), "\(away)")
        #expect(try house.kith("story", person).status == 75)
        // It is the emptier one.
        let made = try house.kith("tenant", "create", "neu", "--name", "Neu")
        #expect(made.status == 0, "\(made)")
        #expect(try installed(house)["neu"] == "main")
    }

    @Test func `are refused before anything changes`() throws {
        let house = try CellHouse(["east"], offset: nil)
        let address = CellHouse.address(try #require(house.urls["east"]))
        func refusal(_ name: String, _ url: String) throws -> String {
            let refused = try house.kith("cell", "add", name, url)
            #expect(refused.status != 0, "\(name) \(url)")
            #expect(try house.installation.session().query("select from kith.cells").rowCount <= 2)
            return refused.errors
        }
        #expect(try refusal("east", "postgresql://kith_api:secret@db/kith").contains("without password"))
        #expect(try !refusal("east", "postgresql://kith_api:secret@db/kith").contains("secret"))
        #expect(try refusal("east", "postgresql://db").contains("must name a host and a database"))
        #expect(try refusal("east", "mysql://db/kith").contains("must be a URL"))
        #expect(try refusal("east", "postgresql://127.0.0.1:1/kith").contains("cannot be reached"))
        #expect(try refusal("Ost; drop", address).contains("small letters"))
        let empty = CellHouse.address(try house.installation.postgres.createDatabase("empty"))
        #expect(try refusal("east", empty).contains("is no Kith"))
        let own = CellHouse.address(house.installation.url)
        #expect(try refusal("east", own).contains("this database, the directory itself"))
        let other = try house.installation.postgres.createDatabase("other", template: "east")
        let session = try house.session("east")
        try session.execute("update internal.migrated_schemas set checksum = 'old ' || checksum")
        #expect(try refusal("east", address).contains("the schema of another release"))
        try session.execute("update internal.migrated_schemas set checksum = substr(checksum, 5)")
        let stray = try KithProcess.run(
            ["tenant", "create", "stray", "--name", "Stray"],
            environment: house.installation.environment.merging(["KITH_DATABASE_URL": other]) { $1 })
        #expect(stray.status == 0, "\(stray.errors)")
        #expect(try refusal("east", CellHouse.address(other)).contains("has tenants"))
        #expect(try house.installation.session().query("select from kith.cells").rowCount == 0, "nothing was begun")

        try house.addAll()
        #expect(try refusal("east", CellHouse.address(other)).contains("There is a cell east already"))
        #expect(try refusal("west", address).contains("the database of the cell east"))
        // A database that knows its directory belongs to no other installation.
        let foreign = try KithProcess.run(
            ["cell", "add", "mine", address],
            environment: house.installation.environment.merging(["KITH_DATABASE_URL": other]) { $1 })
        #expect(foreign.errors.contains("already the cell east of another installation"), "\(foreign.errors)")
        let nested = try KithProcess.run(
            ["cell", "add", "deep", CellHouse.address(other)],
            environment: house.installation.environment.merging(["KITH_DATABASE_URL": house.urls["east"] ?? ""]) { $1 })
        #expect(nested.errors.contains("is the cell east of an installation"), "\(nested.errors)")
    }

    /// The cell of each tenant, by its slug.
    private func installed(_ house: CellHouse) throws -> [String: String] {
        let rows = try house.installation.session().query("select slug, cell from kith.tenant_cells")
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.rowCount).map { (rows.string($0, 0) ?? "", rows.string($0, 1) ?? "") })
    }
}
