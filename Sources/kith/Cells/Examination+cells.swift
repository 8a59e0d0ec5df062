internal import Postgres
internal import Schema

extension Examination {
    /// Checks each cell beside the directory as the directory is checked, and that its database is the one in the map.
    mutating func examineCells(_ database: Database, _ configuration: Configuration) {
        guard configuration.cell == nil else { return }
        let cells: [Cell]
        do { cells = try database.cells() } catch {
            return note("the map of cells cannot be read: \(error)", remedy: "kith migrate")
        }
        for cell in cells where cell.address != nil {
            (subject, self.cell) = ("cell \(cell.name): ", cell.name)
            examine(database.at(cell), named: cell.name, configuration)
            (subject, self.cell) = ("", nil)
        }
        examineMoves(database, cells)
    }

    private mutating func examine(_ cell: Database, named name: String, _ configuration: Configuration) {
        guard let session = try? Self.session(of: cell) else {
            return note(
                "its database does not accept connections",
                remedy: "start it, or check its address in kith cell list; its tenants get 503 meanwhile")
        }
        examineServer(session)
        guard examineSchema(session), examineIdentity(session, cell, name) else { return }
        examineSealedKeys(session, configuration)
        examineOperators(cell)
        examineRole("kith_api", try? cell.apiURL, "KITH_DATABASE_URL")
        examineRole("kith_worker", try? cell.workerURL, "KITH_WORKER_DATABASE_URL")
        examineDatabase(session, configuration)
    }

    /// Reports logins of operators that the cell lacks, or has although they have ended.
    private mutating func examineOperators(_ cell: Database) {
        guard let differences = try? OperatorLogins.differences(of: cell) else { return }
        guard !differences.isEmpty else { return note("operators: the same logins as in the directory") }
        for (what, remedy) in differences { note("operators: \(what)", remedy: remedy) }
    }

    private mutating func examineIdentity(_ session: PostgresSession, _ cell: Database, _ name: String) -> Bool {
        let expected = try? cell.directory.operatorSession().query(
            "select cluster, database::bigint from kith.cells where name = $1", [.text(name)])
        guard let expected, expected.rowCount == 1, let actual = try? Database.identity(session) else {
            note("its identity cannot be compared with the map", remedy: "kith cell list")
            return false
        }
        let isSame = expected.string(0, 0) == actual.cluster && expected.int(0, 1) == actual.database
        note(
            "its database is the one in the map",
            remedy: isSame ? nil : "let its address lead to the database that was added, not to another one")
        return isSame
    }
}
