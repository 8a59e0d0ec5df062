import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// The logins of operators (G01) in an installation with cells (decision 51): `east` has a server of its own.
@Suite(.mayBlock) struct `An operator of several cells` {
    private let house: CellHouse

    init() throws {
        house = try CellHouse(moving: ["east"])
        _ = try house.tenant("osten", in: "east")
    }

    private func kith(_ arguments: String..., as login: String) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let url = house.installation.url(of: login)
        return try KithProcess.run(
            arguments, environment: house.installation.environment.merging(["KITH_OWNER_DATABASE_URL": url]) { $1 })
    }

    @Test func `has one login, for all tenants or for one, wherever these live`() throws {
        try CellHouse.check(house.kith("operator", "create", "oscar"))
        try CellHouse.check(house.kith("operator", "create", "anna", "--tenant", "osten"))
        let seen = try kith("tenant", "list", as: "oscar")
        #expect(seen.output.contains(/cell=main .*slug=acme/) && seen.output.contains(/cell=east .*slug=osten/))
        for login in ["oscar", "anna"] {
            let suspended = try kith("tenant", "suspend", "osten", "--reason", "asked", as: login)
            #expect(suspended.status == 0, "\(suspended.errors)")
            #expect(try kith("tenant", "resume", "osten", as: login).status == 0)
        }
        let own = try kith("tenant", "list", as: "anna")
        #expect(own.status == 0, "\(own.errors)")
        #expect(own.output.contains("slug=osten") && !own.output.contains("slug=acme"), "\(own.output)")
        #expect(try kith("tenant", "suspend", "acme", "--reason", "asked", as: "anna").status == 1)
        #expect(try kith("psql", "--cell", "east", "-Atc", "select 1", as: "anna").output == "1\n")

        // The audit of all cells is one.
        let audit = try house.kith("audit", "--action", "tenant.suspend")
        #expect(
            audit.output.components(separatedBy: "\n").compactMap { $0.firstMatch(of: /operator:([a-z]+)/)?.1 }
                == ["anna", "oscar"], "\(audit.output)")

        try CellHouse.check(house.kith("operator", "end", "oscar"))
        for cell in ["main", "east"] {
            #expect(try kith("psql", "--cell", cell, "-c", "select 1", as: "oscar").status != 0)
        }
        let again = try house.kith("operator", "end", "oscar")
        #expect(again.status == 1 && again.errors.contains("The operator 'oscar' was ended at"), "\(again.errors)")
    }

    @Test func `is made in all cells or in none, and ends where it can`() throws {
        try house.session("east").execute("create role dora")
        let taken = try house.kith("operator", "create", "dora")
        #expect(taken.errors.contains("There is a role 'dora' already"), "\(taken.errors)")
        let known = try house.installation.session().query("select from pg_roles where rolname = 'dora'")
        #expect(known.rowCount == 0)

        try CellHouse.check(house.kith("operator", "create", "rita", "--read-only"))
        try house.closeServer(of: "east")
        let away = try house.kith("operator", "create", "otto")
        #expect(away.status == 75 && away.errors.contains("the cell east does not answer, so nothing was changed"))
        let ended = try house.kith("operator", "end", "rita")
        let part = "run this again, because a part is missing: the cell east: "
        #expect(ended.status == 75 && ended.errors.contains(part), "\(ended.errors)")
        #expect(try kith("psql", "-c", "select 1", as: "rita").status != 0)
        let list = try house.kith("tenant", "list")
        #expect(list.status == 75 && list.output.contains("slug=acme"), "\(list.errors)")
        let doctor = try house.kith("doctor").output
        #expect(doctor.contains("WRONG  cell east: its database does not accept connections"), "\(doctor)")
        #expect(!doctor.contains("does not reach east"), "\(doctor)")
        try house.openServer(of: "east")
        #expect(try kith("psql", "--cell", "east", "-c", "select 1", as: "rita").status == 0)
        #expect(try house.kith("doctor").output.contains("WRONG  cell east: operators: rita has ended, and not there"))
        #expect(try house.kith("operator", "sync").output == "ended rita in east\n")
        #expect(try kith("psql", "--cell", "east", "-c", "select 1", as: "rita").status != 0)
        #expect(try house.kith("operator", "end", "rita", "--cell", "east").status == 64)
    }

    @Test func `works in cells that share a server, and comes back where a login is lost`() throws {
        try CellHouse.check(house.kith("operator", "create", "oscar"))
        let added = try house.add("west", besides: "east")
        #expect(added.output.hasSuffix("oscar may work in west, too\n"), "\(added)")
        // The role is made once on the server that both share.
        try CellHouse.check(house.kith("operator", "create", "rita", "--read-only", "--tenant", "osten"))
        for (login, cells) in [("oscar", ["main", "east", "west"]), ("rita", ["main", "east"])] {
            for cell in cells {
                let entered = try kith("psql", "--cell", cell, "-Atc", "select 1", as: login)
                #expect(entered.output == "1\n", "\(login) in \(cell): \(entered.errors)")
            }
        }
        let lost = try house.session("east")
        try lost.execute("delete from kith.operators where login = 'rita'")
        try house.installation.session().execute(
            "update kith.operators set is_read_only = true where login = 'oscar'")
        let doctor = try house.kith("doctor").output
        #expect(
            doctor.contains(
                "cell east: operators: oscar may do other things there\n       fix: kith operator end oscar\n"),
            "\(doctor)")
        #expect(doctor.contains("rita has no login there"), "\(doctor)")
        let synced = try house.kith("operator", "sync")
        #expect(synced.status == 1 && synced.output == "rita may work in east, too\n", "\(synced)")
        #expect(synced.errors.contains("kith operator end oscar"), "\(synced)")
        try CellHouse.check(house.kith("operator", "end", "oscar"))
        try CellHouse.check(house.kith("operator", "sync"))
        let list = try house.kith("operator", "list").output
        #expect(list.contains("login=rita may=reads tenant=osten state=live"), "\(list)")

        // A login whose row a restore has lost ends with its operator, and a role that a cell's server lacks is made
        // anew.
        try lost.execute("delete from kith.operators where login = 'rita'")
        try CellHouse.check(house.kith("operator", "end", "rita"))
        #expect(try kith("psql", "--cell", "east", "-c", "select 1", as: "rita").status != 0)
        try CellHouse.check(house.kith("operator", "create", "otto"))
        try lost.execute("drop role otto")
        #expect(try house.kith("operator", "sync").output == "otto may work in east, too\n")
        #expect(try kith("psql", "--cell", "east", "-Atc", "select 1", as: "otto").output == "1\n")
    }

    @Test func `comes into a cell that is added`() throws {
        let house = try CellHouse(["west"], offset: nil)
        try CellHouse.check(house.kith("operator", "create", "oscar"))
        try CellHouse.check(house.kith("operator", "create", "anna", "--tenant", "acme", "--read-only"))
        let added = try house.kith("cell", "add", "west", CellHouse.address(#require(house.urls["west"])))
        #expect(
            added.output.hasSuffix("anna may work in west, too\noscar may work in west, too\n"), "\(added.output)")
        _ = try house.tenant("westen", in: "west")
        let url = house.installation.url(of: "oscar")
        let seen = try KithProcess.run(
            ["tenant", "suspend", "westen", "--reason", "asked"],
            environment: house.installation.environment.merging(["KITH_OWNER_DATABASE_URL": url]) { $1 })
        #expect(seen.status == 0, "\(seen.errors)")
        let bound = try house.session("west").query("select only_tenant_id from kith.operators where login = 'anna'")
        #expect(bound.int(0, 0) == house.installation.acme.tenantID)
    }
}
