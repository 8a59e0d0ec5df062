internal import Postgres

/// The logins of operators in the cells of an installation: a role belongs to a cluster, which may have several cells,
/// and what it may see stands in each of them. The directory says who is an operator.
enum OperatorLogins {
    /// Begins a transaction in one of several cells. While it is open, nobody's events go on.
    static let begin = "begin; set local lock_timeout = '5s'; set local statement_timeout = '10s'"

    /// An operator as a database knows them.
    private struct Entry {
        let isLive: Bool
        let isReadOnly: Bool
        let tenant: Int?

        /// Whether another database means the same by the login. Where a tenant was purged, it has no number any more.
        func agrees(with other: Entry) -> Bool {
            isReadOnly == other.isReadOnly && (tenant == other.tenant || tenant == -1 || other.tenant == -1)
        }
    }

    /// How the logins of a cell differ from the directory's.
    private enum Difference {
        case lacks(String, Entry)
        case outlives(String)
        case contradicts(String)
        case isUnknown(String)

        /// What is wrong, for a person.
        var text: String {
            switch self {
            case .lacks(let name, _): "\(name) has no login there"
            case .outlives(let name): "\(name) has ended, and not there"
            case .contradicts(let name): "\(name) may do other things there, so end them: kith operator end \(name)"
            case .isUnknown(let name): "\(name) is an operator there alone, so end them: kith operator end \(name)"
            }
        }
    }

    /// How the logins of a cell differ from the directory's, for a person.
    static func differences(of cell: Database) throws -> [String] {
        try differences(cell.directory.session(), cell.session()).map(\.text)
    }

    /// Lets somebody work in a cell. Without a verifier their role is there.
    static func admit(
        _ name: String, _ verifier: String?, isReadOnly: Bool, tenant: Int?, _ session: PostgresSession
    ) throws(PostgresError) {
        _ = try session.query(
            "select internal.admit_operator($1, $2, $3::boolean, $4::integer, internal.operator(), now())",
            [
                .text(name), verifier.map(PostgresValue.text) ?? .null, .text(isReadOnly ? "true" : "false"),
                tenant.map(PostgresValue.int) ?? .null,
            ])
    }

    /// Gives a cell the logins of the directory that it lacks, and ends in it those that have ended. Prints whose.
    ///
    /// - Throws: ``CommandError`` that names the logins with which it could not do that, and says why.
    static func sync(to cell: Database) throws {
        let (here, there) = (try cell.directory.session(), try cell.session())
        let name = cell.cellName ?? Cell.directory
        var failures: [String] = []
        for difference in try differences(here, there) {
            do {
                try Database.reporting {
                    switch difference {
                    case .lacks(let login, let entry):
                        let verifier = try hasRole(login, of: cell, there) ? nil : verifier(of: login, here)
                        try admit(login, verifier, isReadOnly: entry.isReadOnly, tenant: entry.tenant, there)
                        print("\(login) may work in \(name), too")
                    case .outlives(let login):
                        _ = try there.query(
                            "select internal.end_operator($1, internal.operator(), now())", [.text(login)])
                        print("ended \(login) in \(name)")
                    case .contradicts, .isUnknown: failures.append(difference.text)
                    }
                }
            } catch let error as CommandError {
                failures.append("\(difference.text): \(error.message)")
            }
        }
        guard failures.isEmpty else { throw CommandError(failures.joined(separator: "; ")) }
    }

    private static func differences(_ here: PostgresSession, _ there: PostgresSession) throws -> [Difference] {
        let (operators, known) = (try entries(here), try entries(there))
        return Set(operators.keys).union(known.keys).sorted().compactMap { name in
            let (own, other) = (operators[name], known[name])
            if own?.isLive == true {
                guard let other else { return own.map { .lacks(name, $0) } }
                return other.isLive && own?.agrees(with: other) == true ? nil : .contradicts(name)
            }
            guard other?.isLive == true else { return nil }
            return own == nil ? .isUnknown(name) : .outlives(name)
        }
    }

    private static func entries(_ session: PostgresSession) throws(PostgresError) -> [String: Entry] {
        let rows = try session.query("select login, ended_at is null, is_read_only, only_tenant_id from kith.operators")
        return (0..<rows.rowCount).reduce(into: [:]) { entries, row in
            entries[rows.string(row, 0) ?? ""] = Entry(
                isLive: rows.bool(row, 1) == true, isReadOnly: rows.bool(row, 2) == true, tenant: rows.int(row, 3))
        }
    }

    /// Whether `kith operator` has made the role for another cell of the same cluster.
    private static func hasRole(_ name: String, of cell: Database, _ there: PostgresSession) throws -> Bool {
        let cluster = try Database.identity(there).cluster
        let cells = try cell.directory.session().query(
            "select count(*) from kith.cells where cluster = $1", [.text(cluster)])
        guard (cells.int(0, 0) ?? 0) > 1 else { return false }
        let role = try there.query(
            """
            select from pg_roles where rolname = $1 and shobj_description(oid, 'pg_authid') = 'An operator of Kith: kith operator list.'
            """, [.text(name)])
        return role.rowCount > 0
    }

    /// The SCRAM verifier of a login's password, which only a superuser may read.
    private static func verifier(of name: String, _ session: PostgresSession) throws -> String {
        let row: PostgresResult
        do {
            row = try session.query("select rolpassword from pg_authid where rolname = $1", [.text(name)])
        } catch {
            throw CommandError("its password cannot be copied, except by a superuser: \(error)")
        }
        guard let verifier = row.rowCount > 0 ? row.string(0, 0) : nil else {
            throw CommandError("it has no password in the directory")
        }
        return verifier
    }
}
