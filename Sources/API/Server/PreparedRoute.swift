internal import HTTP
internal import Postgres

/// An endpoint prepared for serving, with its statement, its lane and its arguments.
struct PreparedRoute: Sendable {
    let endpoint: Endpoint
    /// The endpoint's index in ``Endpoint/all``, which identifies it in metrics.
    let index: Int
    let call: Call?
    private let arguments: [Argument]

    /// A procedure call that also sets the caller's context, in one statement and one round trip.
    ///
    /// `case` guarantees that the settings are made before the procedure runs (PostgreSQL manual, "Expression Evaluation Rules"). They are
    /// local to the transaction, which is this statement, so they end with it. If the procedure may write, `api.require_caller` runs in
    /// between, since the cached facts about a token may be a minute old.
    struct Call: Sendable {
        let statement: PostgresStatement
        let lane: PostgresLane

        /// Prepares a call of `procedure` with parameters of `types`.
        ///
        /// `checksCaller` says whether `api.require_caller` runs first. By default it does in every lane except the one for reads.
        init(
            _ procedure: String, _ types: [String], lane: PostgresLane, checksCaller: Bool? = nil,
            hasBinaryResults: Bool = false
        ) {
            self.lane = lane
            let check = checksCaller ?? (lane != .reads) ? "and api.require_caller() " : ""
            let arguments = types.enumerated().map { "$\($0 + 4)::\($1)" }.joined(separator: ", ")
            statement = PostgresStatement(
                name: procedure,
                sql: """
                    select case when set_config('kith.tenant_id', $1, true) is not null \
                    and set_config('kith.user_id', $2, true) is not null \
                    and set_config('kith.actor', $3, true) is not null \
                    \(check)\
                    then \(procedure)(\(arguments)) end
                    """, hasBinaryResults: hasBinaryResults)
        }

        /// The number of context parameters at the beginning of every call.
        static let contextSize = 3

        /// The context parameters for `caller`; empty texts if it is nil.
        static func context(of caller: Caller?) -> [PostgresValue] {
            [.text(caller?.tenant ?? ""), .text(caller?.user ?? ""), .text(caller?.actor ?? "")]
        }
    }

    init(_ endpoint: Endpoint, index: Int) {
        self.endpoint = endpoint
        self.index = index
        switch endpoint.work {
        case .procedure(let procedure):
            arguments = procedure.arguments
            call = Call(
                procedure.name, arguments.map(\.sqlType), lane: procedure.access == .read ? .reads : .writes,
                checksCaller: procedure.checksCaller)
        case .handler(_, let given):
            arguments = given
            call = nil
        default:
            arguments = []
            call = nil
        }
    }

    /// Reads and validates the call's parameters.
    ///
    /// - Throws: ``Problem`` `validation_failed` with every invalid argument.
    func parameters(
        of request: HTTPRequest, path: [String], document: JSONDocument?, caller: Caller?, publicURL: String
    ) throws(Problem) -> [PostgresValue] {
        var values = Call.context(of: caller)
        values.reserveCapacity(Call.contextSize + arguments.count)
        var reader = ArgumentReader(
            request: request, path: path, document: document, publicURL: publicURL)
        for argument in arguments { values.append(reader.value(of: argument)) }
        try reader.finish()
        return values
    }
}
