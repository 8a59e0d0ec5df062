internal import JSON
internal import Postgres
internal import Schema

/// A database of an installation that has several (decision 51).
struct Cell {
    let name: String
    /// Nil for the directory, which the configured URLs name.
    let address: PostgresAddress?
    /// The system identifier of its server, and the oid of its database there; empty and 0 before the cell is added.
    let cluster: String
    let database: Int

    init(name: String, address: PostgresAddress?, cluster: String = "", database: Int = 0) {
        self.name = name
        self.address = address
        self.cluster = cluster
        self.database = database
    }

    /// The cells in an answer of `api.cell_map` or `worker.cell_map`.
    ///
    /// - Throws: `PostgresError` for an address that this release cannot read.
    static func list(_ map: JSONValue) throws(PostgresError) -> [Cell] {
        var cells: [Cell] = []
        for cell in map["cells"]?.elements ?? [] {
            let address = cell["address"]?.string
            cells.append(
                Cell(
                    name: cell["name"]?.string ?? "", address: try address.map(PostgresAddress.init),
                    cluster: cell["cluster"]?.string ?? "", database: cell["database"]?.integer ?? 0))
        }
        return cells
    }

    /// The name of the directory, which it gets when the first cell is added.
    static let directory = "main"
}

extension Database {
    /// The directory: the database that the configured URLs name.
    var directory: Database { Database(self, at: nil) }

    /// The cells of the installation, the directory first; empty if there is one database. Each login of Kith may ask.
    ///
    /// - Throws: `PostgresError`: `.unavailable` when the directory cannot be reached.
    func cells() throws -> [Cell] {
        let session = try directory.operatorSession()
        // A database that is yet to be migrated has no cells.
        guard try session.query("select to_regclass('kith.cells')").string(0, 0) != nil else { return [] }
        return try session.query("select name, address from kith.cells order by address is not null, name").cells
    }

    /// The cells, as a worker may ask.
    func workerCells() throws -> [Cell] {
        let session = try PostgresSession(
            url: directory.workerURL, settings: Self.settings(role: "kith_worker"))
        guard let bytes = try session.query("select worker.cell_map(-1)").bytes(0, 0) else { return [] }
        return try Cell.list(JSONDocument(bytes).root)
    }

    /// The database of a cell.
    func at(_ cell: Cell) -> Database { Database(self, at: cell) }

    /// The database of the cell with this name. `list` says which there are.
    ///
    /// - Throws: ``CommandError`` if there is no such cell.
    func at(_ name: String, of list: [Cell]) throws -> Database {
        guard let cell = list.first(where: { $0.name == name }) else {
            throw CommandError("there is no cell \(name): kith cell list shows them", status: 64)
        }
        return at(cell)
    }

    /// The databases on which a command works that names no tenant: those of all cells, the directory first, or the one
    /// of `--cell`.
    func everyCell() throws -> [Database] {
        guard configuration.cell == nil else { return [self] }
        return [self] + (try cells().filter { $0.address != nil }.map(at))
    }

    /// The name of the cell, if the database is not the directory.
    var cellName: String? { cell?.address == nil ? nil : cell?.name }

    /// Opens a session in every cell, for what must happen in all of them or in none.
    ///
    /// - Throws: ``CommandError`` with status 75 for a cell that does not answer. Nothing has changed then.
    func sessionsInEveryCell(role: String? = nil) throws -> [(cell: Database, session: PostgresSession)] {
        try everyCell().map { database in
            guard let name = database.cellName else { return (database, try database.session(role: role)) }
            do { return (database, try database.session(role: role)) } catch {
                throw CommandError("the cell \(name) does not answer, so nothing was changed: \(error)", status: 75)
            }
        }
    }

    /// Runs `body` on every cell, whatever becomes of the others.
    ///
    /// - Throws: What `body` throws in the only database; ``CommandError`` that names the cells in which it failed, and
    ///   why, with status 75 if none of them answers.
    func inEveryCell(_ body: (Database) throws -> Void) throws {
        let databases = try everyCell()
        guard databases.count > 1 else { return try body(self) }
        var failures: [String] = []
        var status: Int32 = 75
        for database in databases {
            do { try body(database) } catch {
                let isAway = (try? database.session()) == nil
                if !isAway, status == 75 { status = (error as? CommandError)?.status ?? 1 }
                let reason = (error as? CommandError)?.message ?? "\(error)"
                failures.append("the cell \(database.cellName ?? Cell.directory): \(reason)")
            }
        }
        guard failures.isEmpty else {
            let advice = status == 75 ? "run this again, because a part is missing: " : ""
            throw CommandError(advice + failures.joined(separator: "; "), status: status)
        }
    }

    /// The database in which a tenant lives: this one, unless the map says another. A tenant that is not in the map is
    /// looked for here.
    func home(of slug: String) throws -> Database {
        guard configuration.cell == nil else { return self }
        let session = try operatorSession()
        guard try session.query("select to_regclass('admin.tenant_cells')").string(0, 0) != nil,
            let name = try session.query("select cell from admin.tenant_cells where tenant = $1", [.text(slug)])
                .firstText
        else { return self }
        return try at(name, of: cells())
    }

    /// What distinguishes the database from every other one, asked in `session`: the cluster and the database's oid.
    static func identity(_ session: PostgresSession) throws -> (cluster: String, database: Int) {
        let row = try session.query("select cluster, database::bigint from internal.database_identity()")
        guard let cluster = row.string(0, 0), let database = row.int(0, 1) else {
            throw CommandError("the database does not say what it is")
        }
        return (cluster, database)
    }
}

extension PostgresResult {
    /// The rows of a query for the names and addresses of cells. An address that this release cannot read is a fault of
    /// the map.
    fileprivate var cells: [Cell] {
        get throws {
            try (0..<rowCount).map { row in
                Cell(name: string(row, 0) ?? "", address: try string(row, 1).map(PostgresAddress.init))
            }
        }
    }

    /// The first column of the first row; nil if there is none.
    fileprivate var firstText: String? { rowCount > 0 ? string(0, 0) : nil }
}
