package import JSON
package import Postgres
package import Problems

/// Runs a request's statements: each in its own transaction, or all in the transaction that an `Idempotency-Key` began.
package struct Statements {
    package let pool: PostgresPool
    /// The client id for the pool's per-client limits, from ``Caller/client(of:)``.
    package let client: Int
    /// The id of the request, by which PostgreSQL's log names it.
    package let request: String
    package let transaction: PostgresTransaction?

    /// Runs statements in `transaction`, or each in its own transaction if it is nil.
    package init(pool: PostgresPool, client: Int, request: String, transaction: PostgresTransaction?) {
        self.pool = pool
        self.client = client
        self.request = request
        self.transaction = transaction
    }

    /// A copy that runs each statement in its own transaction.
    package var independent: Statements {
        Statements(pool: pool, client: client, request: request, transaction: nil)
    }

    /// A copy that runs all statements in `transaction`.
    package func within(_ transaction: PostgresTransaction) -> Statements {
        Statements(pool: pool, client: client, request: request, transaction: transaction)
    }

    /// Calls a procedure for `caller` and returns its JSON; nil for null.
    ///
    /// - Throws: ``Problem`` if the procedure refuses, whether by an error or by its result.
    package func ask(
        _ call: ProcedureCall, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> [UInt8]? {
        let json = try await run(call, as: caller, values)
        try Answer.throwRefusal(json)
        return json
    }

    /// Calls a procedure for `caller` and returns its JSON, which may be a refusal; nil for null.
    package func run(
        _ call: ProcedureCall, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> [UInt8]? {
        let values = ProcedureCall.context(of: caller, in: request) + values
        do throws(PostgresError) {
            let result =
                if let transaction {
                    try await transaction.query(call.statement, values)
                } else {
                    try await pool.query(
                        call.statement, values, lane: call.lane, client: client, mayUseStandby: call.mayUseStandby)
                }
            return result.bytes(0, 0)
        } catch {
            throw Problem(error)
        }
    }

    /// Calls a procedure for `caller` and returns its parsed JSON; nil for null.
    package func facts(
        _ call: ProcedureCall, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> JSONDocument? {
        guard let json = try await ask(call, as: caller, values) else { return nil }
        return try JSONDocument(answer: json)
    }
}
