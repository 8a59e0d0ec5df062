internal import HTTP
internal import Postgres

/// An endpoint made ready to serve: its statement, its lane, and how a request becomes the statement's parameters.
struct PreparedRoute: Sendable {
    let endpoint: Endpoint
    /// The endpoint's place in ``Endpoint/all``, by which metrics count.
    let index: Int
    let call: Call?
    private let arguments: [Argument]

    /// A procedure call with the context of the caller, in one statement and one round trip.
    ///
    /// `case` guarantees that the settings are made before the procedure runs (PostgreSQL manual, "Expression Evaluation
    /// Rules"); they are transaction-local, and the statement is its own transaction, so they end with it. Where the procedure may write,
    /// `api.require_caller` runs between: what is believed of a token may be a minute old.
    struct Call: Sendable {
        let statement: PostgresStatement
        let lane: PostgresLane

        /// A call of `procedure`, whose parameters have `types`.
        ///
        /// `checksCaller` says whether `api.require_caller` runs first. Unless it is given, it does for every lane but the reads'.
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

        /// How many parameters every call begins with.
        static let contextSize = 3

        /// The parameters that every call begins with; empty ones where nobody is known.
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

    /// The parameters of the call, checked.
    ///
    /// - Throws: ``Problem`` `validation_failed` naming everything that is not valid, `invalid_request` for what is no JSON.
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
