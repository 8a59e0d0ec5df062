internal import Postgres
internal import Schema

extension Command {
    /// `tenant move`: to another cell, while the tenant is served (decision 51).
    static func relocate(
        _ arguments: inout Arguments, _ database: Database, _ configuration: Configuration
    ) throws {
        let slug = try arguments.positional("the tenant's SLUG")
        let target = try arguments.option("to")
        let source = try arguments.option("source")
        let takesBack = arguments.flag("abort")
        try arguments.finish()
        guard takesBack == (target == nil) else {
            throw CommandError("tenant move takes --to CELL, or --abort", status: 64)
        }
        let directory = database.directory
        let cells = try directory.cells()
        guard !cells.isEmpty else { throw CommandError("the installation has one database: kith cell add", status: 64) }
        try Database.reporting { () -> Void in
            let session = try directory.session()
            guard let target else { return try TenantMove.underWay(slug, directory, session, cells).takeBack() }
            guard try session.query("select from kith.tenant_cells where slug = $1", [.text(slug)]).rowCount > 0 else {
                throw CommandError("there is no tenant \(slug) in the map: select * from admin.tenant_cells")
            }
            let known = try session.query(
                """
                select coalesce(moves.source, placed.cell), moves.tenant_id is not null from kith.tenant_cells as placed
                left join kith.tenant_moves as moves using (tenant_id) where placed.slug = $1
                """, [.text(slug)])
            let cell = known.string(0, 0) ?? ""
            let ends = (try directory.at(cell, of: cells), try directory.at(target, of: cells))
            if cell != target {
                try TenantMove.examineCopies(of: slug, in: ends.0, and: ends.1)
                let goesOn = known.bool(0, 1) == true
                if !goesOn { try TenantMove.examineTenant(slug, in: ends.0) }
                try TenantMove.examine(from: ends.0, to: ends.1, slug, goesOn: goesOn, configuration)
                if !goesOn {
                    try TenantMove.examineWay(from: ends.0, to: ends.1, source)
                    try TenantMove.examineDisk(from: ends.0, to: ends.1, slug)
                }
            }
            let move = try TenantMove(slug, to: target, directory, session, cells)
            try move.run(copyingFrom: source)
        }
    }
}

extension TenantMove {
    /// Checks that the cell in which the map places the tenant has it.
    ///
    /// - Throws: ``CommandError`` if it does not, as after a restore of the cell to a time before the tenant came.
    static func examineTenant(_ slug: String, in source: Database) throws {
        let cell = source.cell?.name ?? Cell.directory
        let session: PostgresSession
        do { session = try source.session() } catch let error as PostgresError {
            throw CommandError("the cell \(cell) cannot be reached: \(error)", status: 75)
        }
        guard try session.query("select from kith.tenants where slug = $1", [.text(slug)]).rowCount == 0 else { return }
        throw CommandError(
            """
            the map places \(slug) in \(cell), which does not have it. Nothing was changed. kith doctor says more, and \
            deploy/README.md, A restored cell and tenants that moved since
            """)
    }

    /// Checks that not both cells serve the tenant, as after a restore of one of them to a time before a move.
    ///
    /// - Throws: ``CommandError`` if they do. A move would delete one of the copies, and cannot know which is newer.
    static func examineCopies(of slug: String, in source: Database, and target: Database) throws {
        for database in [source, target] {
            let serves = try? database.session().query(
                """
                select from kith.tenants as tenant left join kith.moving_tenants as moving using (tenant_id)
                where tenant.slug = $1 and coalesce(moving.state, 'here') not in ('gone', 'arriving')
                """, [.text(slug)]
            ).rowCount
            guard let serves, serves > 0 else { return }
        }
        let (here, there) = (source.cell?.name ?? Cell.directory, target.cell?.name ?? Cell.directory)
        throw CommandError(
            """
            \(here) and \(there) both serve \(slug), as after a restore to a time before it moved. Nothing was changed. Find \
            out which copy is newer, and end the other one: deploy/README.md, A restored cell and tenants that moved since
            """)
    }

    /// Checks what a move needs, before anything changes.
    ///
    /// - Throws: ``CommandError`` with all that is missing.
    static func examine(
        from source: Database, to target: Database, _ slug: String, goesOn: Bool, _ configuration: Configuration
    ) throws {
        let masterKey = try configuration.loadMasterKey()
        var missing: [String] = []
        for (database, isSource) in [(source, true), (target, false)] {
            let name = database.cell?.name ?? Cell.directory
            let session: PostgresSession
            do { session = try database.session() } catch let error as PostgresError {
                throw CommandError("the cell \(name) cannot be reached: \(error)", status: 75)
            }
            guard try Migrator.hasMigrated(session) else {
                throw CommandError("the cell \(name) has the schema of another release: run kith migrate", status: 75)
            }
            try configuration.check(masterKey, session)
            if let cell = database.cell, cell.address != nil {
                let expected = try database.directory.session().query(
                    "select cluster, database::bigint from kith.cells where name = $1", [.text(cell.name)])
                let actual = try Database.identity(session)
                guard expected.string(0, 0) == actual.cluster, expected.int(0, 1) == actual.database else {
                    throw CommandError(
                        "the address of the cell \(name) leads to another database than the one that was added")
                }
            }
            let objections = try session.query(
                "select internal.move_objections($1::boolean, $2::boolean)", [.text("\(isSource)"), .text("\(goesOn)")])
            missing += (0..<objections.rowCount).map { "the cell \(name): \(objections.string($0, 0) ?? "")" }
        }
        missing += try claims(from: source.session(), to: target.session(), slug)
        guard missing.isEmpty else { throw CommandError(missing.joined(separator: "\nkith: "), status: 78) }
    }

    /// What the tenant has alone in its cell, and another tenant in the target.
    private static func claims(from source: PostgresSession, to target: PostgresSession, _ slug: String) throws
        -> [String]
    {
        var taken: [String] = []
        let issuers = try source.query(
            "select issuer, audience from kith.jwt_issuers join kith.tenants using (tenant_id) where slug = $1",
            [.text(slug)])
        for row in 0..<issuers.rowCount {
            let (issuer, audience) = (issuers.string(row, 0) ?? "", issuers.string(row, 1) ?? "")
            let owner = try target.query(
                """
                select slug from kith.jwt_issuers join kith.tenants using (tenant_id) where issuer = $1 and audience \
                = $2 and slug <> $3
                """,
                [.text(issuer), .text(audience), .text(slug)])
            guard owner.rowCount > 0 else { continue }
            taken.append("the issuer \(PlainText.line(issuer)) is that of \(owner.string(0, 0) ?? "") in the target")
        }
        let host = try source.query("select universal_link_host from kith.tenants where slug = $1", [.text(slug)])
        if host.rowCount > 0, let name = host.string(0, 0),
            try target.query(
                "select from kith.tenants where universal_link_host = $1 and slug <> $2", [.text(name), .text(slug)]
            ).rowCount > 0
        {
            taken.append("the host \(name) is that of another tenant in the target")
        }
        return taken
    }
}
