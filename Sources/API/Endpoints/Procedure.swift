internal import Postgres

/// A call of a stored procedure in the `api` schema.
struct Procedure: Sendable {
    let name: String
    /// The connections that run the procedure.
    let lane: PostgresLane
    let arguments: [Argument]
    /// Whether `api.require_caller` runs first. It does not for reads, nor for the check-in, which must be fast and
    /// checks the caller itself.
    let checksCaller: Bool
    /// Whether a standby may run the procedure. Those for reads change nothing.
    var mayUseStandby: Bool { lane == .reads }

    static func read(_ name: String, _ arguments: Argument...) -> Procedure {
        Procedure(name: name, lane: .reads, arguments: arguments, checksCaller: false)
    }

    static func write(
        _ name: String, _ arguments: Argument..., lane: PostgresLane = .writes, checksCaller: Bool = true
    ) -> Procedure {
        Procedure(name: name, lane: lane, arguments: arguments, checksCaller: checksCaller)
    }
}
