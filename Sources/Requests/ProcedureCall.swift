package import Postgres

/// A procedure call that also sets the caller's context, in one statement and one round trip.
///
/// `case` guarantees that the settings are made before the procedure runs (PostgreSQL manual, "Expression Evaluation
/// Rules"). They are local to the transaction, which is this statement, so they end with it. If the procedure may
/// write, `api.require_caller` runs in between, since the cached facts about a token may be a minute old.
///
/// The request's id becomes `application_name`. PostgreSQL writes it into its log with `%a`, and shows it in
/// `pg_stat_activity` while the statement runs, so a slow statement or a wait for a lock leads to its request. Its
/// clients are told of a change only at the end of a transaction, when the setting has its former value again, so it
/// costs no message.
package struct ProcedureCall: Sendable {
    package let statement: PostgresStatement
    package let lane: PostgresLane
    /// Whether a standby may run the procedure, which only reads (decision 30).
    package let mayUseStandby: Bool

    /// Prepares a call of `procedure` with parameters of `types`.
    ///
    /// If the last parameter is an instant, it is the clock (sql/README.md), and a clock that is wrong is not believed.
    ///
    /// `checksCaller` says whether `api.require_caller` runs first. By default it does in every lane except the one for
    /// reads. `worksWhileSuspended` says that the check lets a suspended tenant's users pass (A02).
    package init(
        _ procedure: String, _ types: [String], lane: PostgresLane, checksCaller: Bool? = nil,
        worksWhileSuspended: Bool = false, hasBinaryResults: Bool = false, mayUseStandby: Bool = false
    ) {
        self.lane = lane
        self.mayUseStandby = mayUseStandby
        let required = worksWhileSuspended ? "api.require_caller_while_suspended" : "api.require_caller"
        let check = checksCaller ?? (lane != .reads) ? "and \(required)() " : ""
        var arguments = types.enumerated().map { "$\($0 + Self.contextSize + 1)::\($1)" }
        if types.last == "timestamptz", let clock = arguments.popLast() {
            arguments.append("internal.present(\(clock))")
        }
        statement = PostgresStatement(
            name: procedure,
            sql: """
                select case when set_config('kith.tenant_id', $1, true) is not null \
                and set_config('kith.user_id', $2, true) is not null \
                and set_config('kith.actor', $3, true) is not null \
                and set_config('application_name', $4, true) is not null \
                \(check)\
                then \(procedure)(\(arguments.joined(separator: ", "))) end
                """, hasBinaryResults: hasBinaryResults)
    }

    /// The number of context parameters at the beginning of every call.
    private static let contextSize = 4

    /// The context parameters for `caller`, empty texts if it is nil, in the request with the id `request`.
    package static func context(of caller: Caller?, in request: String) -> [PostgresValue] {
        [
            .text(caller?.tenant ?? ""), .text(caller?.user ?? ""), .text(caller?.actor ?? ""),
            // PostgreSQL would shorten a longer name itself, but with a notice.
            .text(request.utf8.count > longestName ? String(request.prefix(longestName)) : request),
        ]
    }

    /// The longest `application_name`, in bytes.
    package static let longestName = 63
}
