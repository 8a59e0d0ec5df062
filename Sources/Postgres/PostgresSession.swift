internal import CLibPQ

/// A blocking connection, for commands, migrations and tests. Never use it on an event loop's thread.
public final class PostgresSession {
    private let handle: OpaquePointer
    private var parameters = ParameterBuffer()
    /// Receives the server's notices while a call runs; nil drops them.
    public var onNotice: ((PostgresNotice) -> Void)?

    /// Connects. `settings` are run-time parameters of the session.
    ///
    /// - Throws: `.invalidConfiguration` for a URL that libpq cannot read; `.unavailable` when no server answers there
    ///   or it refuses the role.
    public init(
        url: String, applicationName: String = "kith", settings: [(String, String)] = []
    ) throws(PostgresError) {
        let connectionString = try ConnectionString(url, applicationName: applicationName, settings: settings)
        handle = try PostgresConnector(connectionString: connectionString).open().handle
        // Unretained is safe, because libpq calls back only from within calls on this object.
        PQsetNoticeReceiver(
            handle,
            { session, result in
                guard let session, let result else { return }
                Unmanaged<PostgresSession>.fromOpaque(session).takeUnretainedValue().noticed(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        PQfinish(handle)
    }

    /// Runs a script of any number of statements. They form one transaction unless the script says otherwise, and the
    /// first error ends the script.
    public func execute(_ script: String) throws(PostgresError) {
        guard !script.utf8.contains(0) else { throw .nulInText }
        _ = try finished(PQexec(handle, script))
    }

    /// Runs one statement with parameters `$1`, `$2`, … and returns its rows.
    public func query(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresResult {
        guard !sql.utf8.contains(0), ParameterBuffer.isSendable(values) else { throw .nulInText }
        parameters.fill(values)
        return try finished(
            PQexecParams(
                handle, sql, parameters.count, nil, parameters.values, parameters.lengths, parameters.formats, 0))
    }

    /// The process id of the server process behind the session, as in `pg_stat_activity.pid`.
    public var backendPID: Int { Int(PQbackendPID(handle)) }

    private func finished(_ result: OpaquePointer?) throws(PostgresError) -> PostgresResult {
        guard let result else { throw .unavailable(reason: "the connection was lost") }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            return PostgresResult(owning: result)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            throw .invalidConfiguration(reason: "COPY with the client is psql's")
        default:
            defer { PQclear(result) }
            throw PostgresError(failed: result)
        }
    }

    private func noticed(_ result: OpaquePointer) {
        func field(_ code: Int32) -> String {
            PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
        }
        onNotice?(
            PostgresNotice(
                severity: field(kith_field_severity), sqlState: SQLState(rawValue: field(kith_field_sqlstate)),
                message: field(kith_field_message)))
    }
}
