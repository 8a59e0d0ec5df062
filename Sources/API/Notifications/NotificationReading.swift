internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Answers `POST /v1/notifications/read-all`: marks as read every notification that exists when the first batch begins.
/// Each batch is its own transaction, so that nobody waits for a long one. If a client gives up and repeats the call,
/// earlier batches stay marked.
struct NotificationReading {
    /// The number of notifications per transaction, small enough to take only a moment.
    private static let batch = 1000

    private let request: HandledRequest

    private static let call = ProcedureCall(
        "api.read_notifications", ["uuid", "uuid", "integer", "timestamptz"], lane: .writes)

    /// Answers a request.
    static func answer(_ request: HandledRequest, _: Services) async throws(Problem) -> HTTPResponse {
        try await NotificationReading(request).answer()
    }

    private init(_ request: HandledRequest) {
        self.request = request
    }

    /// - Throws: ``Problem`` `unavailable` if the database has no time. What was marked before stays marked.
    private func answer() async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        // Does not use the transaction of an Idempotency-Key, which would be a long one. Repeating the call does no
        // harm.
        let statements = request.statements.independent
        var (last, until) = (PostgresValue.null, PostgresValue.null)
        // Null means that the last batch was not full, so none are left.
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
