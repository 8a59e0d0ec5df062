internal import Postgres

extension TenantMove {
    /// The connection string with which the target's PostgreSQL reaches the source: by `address`, or by the URL that
    /// this program uses.
    ///
    /// - Throws: ``CommandError`` for an address that cannot be used.
    static func way(to source: Database, _ address: String?) throws -> String {
        let url = try source.ownerURL
        guard let address else { return url }
        do throws(PostgresError) {
            return try PostgresAddress(address).connectionString(loggingInAs: url)
        } catch {
            throw CommandError("--source: \(error)", status: 64)
        }
    }

    /// Lets the PostgreSQL of a cell log in to another one, as a subscription does. Nothing stays of it.
    ///
    /// - Throws: `PostgresError` if it does not succeed within 10 seconds. `target` must be a superuser's.
    static func tryWay(from source: Database, to target: PostgresSession, _ address: String?) throws {
        let place = try way(to: source, address)
        try target.execute("begin; set local statement_timeout = '10s'; set local client_min_messages = error")
        defer { try? target.execute("rollback") }
        try makeSubscription(
            """
            kith_move_trial connection \(quoted(place)) publication kith_move_trial
            with (connect = true, create_slot = false, enabled = false, copy_data = false, slot_name = none)
            """, in: target)
    }

    /// Executes `create subscription`. The statement has the password, and PostgreSQL would log it with an error, such
    /// as that the source cannot be reached.
    static func makeSubscription(_ definition: String, in session: PostgresSession) throws(PostgresError) {
        for setting in ["log_statement = none", "log_min_duration_statement = -1", "log_min_error_statement = panic"] {
            try session.execute("set \(setting)")
        }
        try session.execute("create subscription \(definition)")
    }

    /// Checks that the target's PostgreSQL reaches the source, before anything changes.
    ///
    /// - Throws: ``CommandError`` if it does not.
    static func examineWay(from source: Database, to target: Database, _ address: String?) throws {
        do {
            try tryWay(from: source, to: target.session(), address)
        } catch let error as PostgresError {
            let (here, there) = (source.cell?.name ?? Cell.directory, target.cell?.name ?? Cell.directory)
            throw CommandError(
                """
                the PostgreSQL of \(there) does not reach \(here): \(error). Let pg_hba.conf of \(here) allow it, or name another \
                address with --source
                """, status: 78)
        }
    }

    /// A text as a literal.
    static func quoted(_ text: String) -> String {
        "E'\(text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())'"
    }
}
