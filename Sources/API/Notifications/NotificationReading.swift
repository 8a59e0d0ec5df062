internal import HTTP
internal import Postgres

/// Answers `POST /v1/notifications/read-all`: all that there are at that moment, however many, a transaction for each batch, so that
/// nobody waits for a long one. Who breaks off and asks again finds those read that were.
struct NotificationReading {
    /// How many one transaction marks: few enough that it is over in a moment.
    private static let batch = 1000

    private let request: HandledRequest

    private static let call = PreparedRoute.Call(
        "api.read_notifications", ["uuid", "uuid", "integer", "timestamptz"], lane: .writes)

    init(_ request: HandledRequest) {
        self.request = request
    }

    /// - Throws: ``Problem``: `unavailable` when the database has no time; what was marked before stays so.
    func answer() async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        // Not in the transaction of an Idempotency-Key, which would be the long one: again does no harm.
        let statements = request.statements.independent
        var (last, until) = (PostgresValue.null, PostgresValue.null)
        while let facts = try await statements.facts(
            Self.call, as: caller, [last, until, .int(Self.batch), .instant(request.now)])
        {
            guard let next = facts.root["next"]?.string, let end = facts.root["until"]?.string else {
                throw Problem(fault: "api.read_notifications did not say where to go on")
            }
            (last, until) = (.text(next), .text(end))
        }
        return HTTPResponse(request.success)
    }
}
