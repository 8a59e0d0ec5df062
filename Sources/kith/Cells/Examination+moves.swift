internal import Postgres

extension Examination {
    /// A move of a tenant that has begun.
    private struct Move {
        let tenant: Int
        let slug: String
        let source: String
        let target: String
        let step: String
        let isRunning: Bool
    }

    /// From how many cells on only the ways from and to the directory are tried.
    private static let manyCells = 9

    /// Checks that tenants can move between the cells, and reports moves that stand still and what is left of others.
    mutating func examineMoves(_ database: Database, _ cells: [Cell]) {
        guard cells.count > 1 else { return }
        let sessions = cells.compactMap { cell in
            (try? database.at(cell).session()).map { (cell: cell, session: $0) }
        }
        let moves: [Move]
        do { moves = try self.moves(database) } catch {
            return note("the moves of tenants cannot be read: \(error)", remedy: "kith migrate")
        }
        var held: [Int: Int] = [:]
        for (cell, session) in sessions {
            subject = "cell \(cell.name): "
            examineRemains(session, cell.name, moves, &held)
            examineMap(session, database, cell.name, moves)
            examineCopies(session, database, cell.name, moves)
        }
        subject = ""
        for move in moves { examine(move, held: held[move.tenant] ?? 0) }
        if moves.isEmpty { note("no tenant is being moved to another cell") }
        for (cell, session) in sessions {
            subject = "cell \(cell.name): "
            guard
                (try? session.query("select rolsuper from pg_catalog.pg_roles where rolname = session_user").bool(0, 0))
                    == true
            else {
                note("whether tenants can move is seen by a superuser, as which kith tenant move must log in")
                continue
            }
            examineReadiness(session, goesOn: moves.contains { [$0.source, $0.target].contains(cell.name) })
            examineWays(to: database.at(cell), session, from: cells.filter { $0.name != cell.name }.map(database.at))
        }
        subject = ""
    }

    private func moves(_ database: Database) throws -> [Move] {
        let rows = try database.directory.session().query("select * from internal.moves_under_way() order by slug")
        return (0..<rows.rowCount).map { row in
            Move(
                tenant: rows.int(row, 0) ?? 0, slug: rows.string(row, 1) ?? "", source: rows.string(row, 2) ?? "",
                target: rows.string(row, 3) ?? "", step: rows.string(row, 4) ?? "", isRunning: rows.bool(row, 6) == true
            )
        }
    }

    private mutating func examine(_ move: Move, held: Int) {
        let what = "the move of \(move.slug) from \(move.source) to \(move.target)"
        guard !move.isRunning else { return note("\(what) is running: \(move.step)") }
        let goesOn = "kith tenant move \(move.slug) --to \(move.target)"
        let abort = "kith tenant move \(move.slug) --abort"
        let remedy =
            switch move.step {
            case "clean": goesOn
            case "abort": abort
            default: "\(goesOn), which goes on, or \(abort), which takes it back"
            }
        let wal = held > 0 ? ", and \(move.source) keeps \(held >> 20) MiB of WAL for it" : ""
        note("\(what) stands still at the step \(move.step)\(wal)", remedy: remedy)
    }

    /// Reports what replicates a tenant that is not being moved, and adds up the WAL that is kept for those that are.
    private mutating func examineRemains(
        _ session: PostgresSession, _ cell: String, _ moves: [Move], _ held: inout [Int: Int]
    ) {
        guard let found = try? session.query("select * from internal.remains_of_moves()") else {
            return note("what is left of moves cannot be read", remedy: "kith migrate")
        }
        for row in 0..<found.rowCount {
            let (kind, name) = (found.string(row, 0) ?? "", found.string(row, 1) ?? "")
            let bytes = found.int(row, 4) ?? 0
            if let tenant = found.int(row, 2), moves.contains(where: { $0.tenant == tenant }) {
                held[tenant, default: 0] += bytes
                continue
            }
            // A copy of a table has a slot as long as it runs.
            if found.int(row, 2) == nil, found.bool(row, 3) == true || !moves.isEmpty { continue }
            let psql = "kith psql --cell \(cell) --role postgres"
            let remedy =
                switch kind {
                case "subscription":
                    """
                    \(psql) -c 'alter subscription \(name) disable' -c 'alter subscription \(name) set (slot_name = none)' \
                    -c 'drop subscription \(name)'
                    """
                case "slot": "\(psql) -c \"select pg_drop_replication_slot('\(name)')\""
                default: "\(psql) -c 'drop publication \(name)'"
                }
            let wal = kind == "slot" ? ", and keeps \(bytes >> 20) MiB of WAL" : ""
            note("the \(kind) \(name) is left of a move that the directory does not know\(wal)", remedy: remedy)
        }
    }

    /// Reports tenants that the map places in a cell that they have left, as after a restore of the directory, or that
    /// does not know them, as after a restore of the cell to before they came.
    private mutating func examineMap(
        _ session: PostgresSession, _ database: Database, _ cell: String, _ moves: [Move]
    ) {
        guard
            let gone = try? session.query("select tenant_id from kith.moving_tenants where state = 'gone'"),
            let known = try? session.query("select tenant_id from kith.tenants"),
            let placed = try? database.directory.session().query(
                "select tenant_id, slug from kith.tenant_cells where cell = $1", [.text(cell)])
        else { return note("the tenants that have left cannot be read", remedy: "kith migrate") }
        let left = Set((0..<gone.rowCount).compactMap { gone.int($0, 0) })
        let here = Set((0..<known.rowCount).compactMap { known.int($0, 0) })
        for row in 0..<placed.rowCount {
            guard let tenant = placed.int(row, 0), left.contains(tenant) || !here.contains(tenant),
                !moves.contains(where: { $0.tenant == tenant })
            else { continue }
            let reason =
                left.contains(tenant)
                ? "which has moved to another cell" : "which this cell does not know, so that its people get 503"
            note(
                "the map places \(placed.string(row, 1) ?? "") here, \(reason)",
                remedy: """
                    find the cell with kith tenant list --cell NAME, and let the map name it: \
                    kith psql --role postgres -c "select internal.point_tenant(\(tenant), 'NAME', null)"
                    """)
        }
    }

    /// Reports tenants that this cell serves although the map places them in another, as after a restore of the cell
    /// to a time before they moved. Its worker makes their pings, nobody checks in here, and so it reports misses.
    private mutating func examineCopies(
        _ session: PostgresSession, _ database: Database, _ cell: String, _ moves: [Move]
    ) {
        guard
            let live = try? session.query(
                """
                select tenant.tenant_id, tenant.slug, internal.shown_instant(moving.came_at)
                from kith.tenants as tenant left join kith.moving_tenants as moving using (tenant_id)
                where tenant.deleted_at is null and coalesce(moving.state, 'here') not in ('gone', 'arriving')
                """),
            let placed = try? database.directory.session().query(
                "select tenant_id, cell from kith.tenant_cells where cell <> $1", [.text(cell)])
        else { return note("the tenants that are served here cannot be read", remedy: "kith migrate") }
        let elsewhere = (0..<placed.rowCount).reduce(into: [Int: String]()) { cells, row in
            cells[placed.int(row, 0) ?? 0] = placed.string(row, 1)
        }
        for row in 0..<live.rowCount {
            guard let tenant = live.int(row, 0), let slug = live.string(row, 1), let home = elsewhere[tenant],
                !moves.contains(where: { $0.tenant == tenant && $0.isRunning })
            else { continue }
            let what = "\(slug) is served by \(home) and is also live here: the worker sends false alarms to its people"
            guard let arrival = live.string(row, 2) else {
                note(what, remedy: "kith tenant delete \(slug) --reason 'copy from a restore' --cell \(cell)")
                continue
            }
            note(
                "\(what). It came here at \(arrival), so the copy in \(home) may be the older one",
                remedy: "deploy/README.md, A restored cell and tenants that moved since")
        }
    }

    private mutating func examineReadiness(_ session: PostgresSession, goesOn: Bool) {
        let objections = rows(
            session,
            """
            select distinct objection, 'deploy/README.md, A tenant moves to another cell'
            from (values (true), (false)) as ends (is_source)
            cross join internal.move_objections(is_source, \(goesOn)) as objection
            """)
        for (objection, remedy) in objections { note("tenants cannot move: \(objection)", remedy: remedy) }
        if objections.isEmpty { note("tenants can move from here and to here") }
    }

    /// Checks that PostgreSQL can log in from a cell to each other one, to replicate a tenant's rows.
    private mutating func examineWays(to cell: Database, _ session: PostgresSession, from others: [Database]) {
        var reached: [String] = []
        for other in others {
            // A cell that is away is a finding of its own.
            guard (try? other.session()) != nil else { continue }
            let isOfDirectory = other.cell?.address == nil || cell.cell?.address == nil
            guard others.count + 1 < Self.manyCells || isOfDirectory else { continue }
            let name = other.cell?.name ?? Cell.directory
            do {
                try TenantMove.tryWay(from: other, to: session, nil)
                reached.append(name)
            } catch {
                note(
                    "its PostgreSQL does not reach \(name): \(error)",
                    remedy: """
                        let pg_hba.conf of \(name) allow it, or correct the address in kith.cells; if only the move needs another \
                        address: kith tenant move SLUG --to \(cell.cell?.name ?? Cell.directory) --source ADDRESS
                        """)
            }
        }
        if !reached.isEmpty { note("its PostgreSQL reaches \(reached.joined(separator: ", "))") }
    }
}
