/// A question that a server answers in the same round trip as a statement, directly before it. Unless the answer is
/// true, the statement's result is not used. If it is null, the connection is of no use either.
///
/// Each of the two has its own snapshot, so whatever the answer to the question shows to be there, the statement sees.
struct PostgresCondition: Sendable {
    let statement: PostgresStatement
    let parameters: [PostgresValue]

    /// The failure of a statement whose condition has this answer; nil for true.
    static func failure(_ answer: Bool?) -> PostgresError? {
        switch answer {
        case true: nil
        case false: .unavailable(reason: "the standby is behind the primary")
        case nil: .wrongServer
        }
    }
}
