internal import Postgres

extension Command {
    /// Creates a tenant in the database of `--cell`, or in the emptiest open cell; in an installation with one database
    /// in that.
    static func create(_ slug: String, named name: String, _ database: Database, _ json: Bool) throws {
        guard let place = try database.place(slug) else {
            let sql = "select tenant_id, slug, secret_key from admin.create_tenant($1, $2)"
            return try show(database, sql, [.text(slug), .text(name)], json)
        }
        let sql = "select tenant_id, slug, secret_key from admin.create_placed_tenant($1::integer, $2, $3)"
        do { _ = try place.database.session() } catch let error as PostgresError {
            throw CommandError(
                """
                the cell \(place.cell) cannot be reached; \(slug) keeps its number there, and the same command \
                creates it later: \(error)
                """,
                status: 75)
        }
        try show(place.database, sql, [.int(place.number), .text(slug), .text(name)], json)
    }
}

extension Database {
    /// Gives a new tenant its number and its cell; nil in an installation with one database. Called again for the same
    /// slug, it gives the same ones. Unless a cell is named, it is the emptiest open one that answers.
    func place(_ slug: String) throws -> (number: Int, cell: String, database: Database)? {
        let cells = try cells()
        guard !cells.isEmpty else { return nil }
        let placed = try directory.operate(
            "select tenant_id, cell from admin.place_tenant($1, $2)",
            [.text(slug), try (configuration.cell ?? answeringCell(for: slug, cells)).map(PostgresValue.text) ?? .null])
        guard let number = placed.int(0, 0), let cell = placed.string(0, 1) else {
            throw CommandError("admin.place_tenant gave no cell")
        }
        return (number, cell, try at(cell, of: cells))
    }

    /// The emptiest open cell that answers; nil if none does, or if the tenant has its cell already.
    private func answeringCell(for slug: String, _ cells: [Cell]) throws -> String? {
        let known = try directory.operate("select from admin.tenant_cells where tenant = $1", [.text(slug)])
        guard known.rowCount == 0 else { return nil }
        let open = try directory.operate("select name from admin.cells where is_open order by tenants, added_at, name")
        for row in 0..<open.rowCount {
            guard let name = open.string(row, 0), (try? at(name, of: cells).session()) != nil else { continue }
            return name
        }
        return nil
    }

    /// The number of a tenant that the map places in this cell, but that is not here; nil if it is here, or if this is
    /// the directory.
    func placedButGone(_ slug: String) throws -> Int? {
        guard cell?.address != nil,
            try operate("select from admin.tenants where slug = $1", [.text(slug)]).rowCount == 0
        else { return nil }
        let placed = try directory.operate(
            "select tenant_id from admin.tenant_cells where tenant = $1 and cell = $2",
            [.text(slug), .text(cell?.name ?? "")])
        return placed.rowCount > 0 ? placed.int(0, 0) : nil
    }

    /// Removes a tenant that its cell has purged from the map, but not one that the map places in another cell: then
    /// what was purged is a copy that a restore has left.
    func unplace(_ tenant: Int) throws {
        guard let cell, cell.address != nil,
            try directory.operate(
                "select from admin.tenant_cells where tenant_id = $1::integer and cell = $2",
                [.int(tenant), .text(cell.name)]
            ).rowCount > 0
        else { return }
        _ = try directory.operate("select admin.unplace_tenant($1::integer)", [.int(tenant)])
    }
}
