internal import Postgres

/// The logins of operators in the cells of an installation: a role belongs to a cluster, which may have several cells,
/// and what it may see stands in each of them. The directory says who is an operator.
enum OperatorLogins {
    /// Begins a transaction in one of several cells. While it is open, nobody's events go on.
    private static let begin = "begin; set local lock_timeout = '5s'; set local statement_timeout = '10s'"

    /// An operator as a database knows them.
    private struct Entry {
        /// Whether the database has a row that says what they may do, and whether they have not ended there.
        let isKnown: Bool
        let isLive: Bool
        let isReadOnly: Bool
        let tenant: Int?
        /// Whether the cluster has a role of `kith operator` by which they log in.
        let hasRole: Bool

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
            case .contradicts(let name): "\(name) may do other things there"
            case .isUnknown(let name): "\(name) is an operator there alone"
            }
        }

        /// The command that mends it. Nobody but a person can decide which of two rights is meant.
        var remedy: String {
            switch self {
            case .lacks, .outlives: "kith operator sync"
            case .contradicts(let name), .isUnknown(let name): "kith operator end \(name)"
            }
        }
    }

    /// How the logins of a cell differ from the directory's, for a person, by the command that mends it.
    static func differences(of cell: Database) throws -> [(what: String, remedy: String)] {
        let all = try differences(cell.directory.session(), cell.session())
        return Dictionary(grouping: all, by: \.remedy).sorted { $0.key < $1.key }.map { remedy, differences in
            (differences.map(\.text).joined(separator: "; "), remedy)
        }
    }

    /// Ends a login in a database where it is live, also one that only its role has left.
    ///
    /// - Returns: Whether it was live.
    static func end(_ name: String, in session: PostgresSession) throws(PostgresError) -> Bool {
        guard let entry = try entries(session)[name], entry.isLive || entry.hasRole else { return false }
        _ = try session.query("select internal.end_operator($1, internal.operator(), now())", [.text(name)])
        return true
    }

    /// Makes a login in all cells, or in none, for all tenants or for one.
    ///
    /// - Returns: The cells in which the last step failed, and why; ``sync(to:)`` gives it to them.
    static func create(
        _ name: String, _ verifier: String, isReadOnly: Bool, tenant: String?, _ database: Database
    ) throws -> [String] {
        let home = try tenant.map(database.home)?.cellName
        // The tenant's cell is the first one, because only it knows the tenant.
        let cells = try database.sessionsInEveryCell().sorted { $0.cell.cellName == home && $1.cell.cellName != home }
        return try Database.reporting {
            for (_, session) in cells { try session.execute(begin) }
            _ = try cells[0].session.query(
                "select internal.create_operator($1, $2, $3::boolean, $4, internal.operator(), now())",
                [
                    .text(name), .text(verifier), .text(isReadOnly ? "true" : "false"),
                    tenant.map(PostgresValue.text) ?? .null,
                ])
            let number = try entries(cells[0].session)[name]?.tenant
            var clusters: Set<String> = [try Database.identity(cells[0].session).cluster]
            for (_, session) in cells.dropFirst() {
                let isNew = clusters.insert(try Database.identity(session).cluster).inserted
                try admit(name, isNew ? verifier : nil, isReadOnly: isReadOnly, tenant: number, session)
            }
            // The directory commits first, because the others are made equal to it.
            for (cell, session) in cells where cell.cellName == nil { try session.execute("commit") }
            var failures: [String] = []
            for (cell, session) in cells {
                guard let place = cell.cellName else { continue }
                do { try session.execute("commit") } catch { failures.append("the cell \(place): \(error)") }
            }
            return failures
        }
    }

    /// Lets somebody work in a cell. Without a verifier their role is there.
    private static func admit(
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
                        if try give(login, entry, to: cell, here, there) { print("\(login) may work in \(name), too") }
                    case .outlives(let login):
                        if try end(login, in: there) { print("ended \(login) in \(name)") }
                    case .contradicts, .isUnknown: failures.append("\(difference.text): \(difference.remedy)")
                    }
                }
            } catch let error as CommandError {
                failures.append("\(difference.text): \(error.message)")
            }
        }
        guard failures.isEmpty else { throw CommandError(failures.joined(separator: "; ")) }
    }

    /// Gives a cell the login of an operator, unless they have ended meanwhile. Returns whether it has.
    private static func give(
        _ name: String, _ entry: Entry, to cell: Database, _ here: PostgresSession, _ there: PostgresSession
    ) throws -> Bool {
        // Whoever ends the operator waits, and then finds the login in the cell.
        try here.execute(begin)
        defer { try? here.execute("rollback") }
        let live = try here.query(
            "select from kith.operators where login = $1 and ended_at is null for update", [.text(name)])
        guard live.rowCount > 0 else { return false }
        let verifier = try isOurs(name, of: cell, here, there) ? nil : verifier(of: name, here)
        try there.execute(begin)
        // The row may be there although the cluster lacks the role.
        _ = try there.query("delete from kith.operators where login = $1", [.text(name)])
        try admit(name, verifier, isReadOnly: entry.isReadOnly, tenant: entry.tenant, there)
        try there.execute("commit")
        return true
    }

    private static func differences(_ here: PostgresSession, _ there: PostgresSession) throws -> [Difference] {
        let (operators, known) = (try entries(here), try entries(there))
        return Set(operators.keys).union(known.keys).sorted().compactMap { name in
            let (own, other) = (operators[name], known[name])
            guard let own, own.isKnown else { return other?.isLive == true ? .isUnknown(name) : nil }
            guard own.isLive else { return other?.isLive == true || other?.hasRole == true ? .outlives(name) : nil }
            guard let other, other.isKnown, !other.isLive || other.hasRole else { return .lacks(name, own) }
            return other.isLive && own.agrees(with: other) ? nil : .contradicts(name)
        }
    }

    private static func entries(_ session: PostgresSession) throws(PostgresError) -> [String: Entry] {
        let rows = try session.query(
            """
            select coalesce(operator.login, role.rolname), operator.login is not null, operator.ended_at is null and operator.login is not null,
              coalesce(operator.is_read_only, false), operator.only_tenant_id, role.rolname is not null
            from kith.operators as operator
            full join internal.operator_roles() as role (rolname) on role.rolname = operator.login
            """)
        return (0..<rows.rowCount).reduce(into: [:]) { entries, row in
            entries[rows.string(row, 0) ?? ""] = Entry(
                isKnown: rows.bool(row, 1) == true, isLive: rows.bool(row, 2) == true,
                isReadOnly: rows.bool(row, 3) == true, tenant: rows.int(row, 4), hasRole: rows.bool(row, 5) == true)
        }
    }

    /// Whether a role in the cell's cluster is that of the directory's operator: because it has the same password, or
    /// because `kith operator` has made it for another cell of the same cluster.
    private static func isOurs(
        _ name: String, of cell: Database, _ here: PostgresSession, _ there: PostgresSession
    ) throws -> Bool {
        guard try entries(there)[name]?.hasRole == true else { return false }
        if let own = try? verifier(of: name, here), let other = try? verifier(of: name, there) { return own == other }
        let cells = try here.query(
            "select count(*) from kith.cells where cluster = $1", [.text(Database.identity(there).cluster)])
        return (cells.int(0, 0) ?? 0) > 1
    }

    /// The SCRAM verifier of a login's password, which only a superuser may read.
    private static func verifier(of name: String, _ session: PostgresSession) throws -> String {
        // A refusal would end the transaction.
        guard try session.query("select has_table_privilege('pg_catalog.pg_authid', 'select')").bool(0, 0) == true
        else {
            throw CommandError("only a superuser can copy its password")
        }
        let row = try session.query("select rolpassword from pg_authid where rolname = $1", [.text(name)])
        guard let verifier = row.rowCount > 0 ? row.string(0, 0) : nil else {
            throw CommandError("it has no password in the directory")
        }
        return verifier
    }
}
