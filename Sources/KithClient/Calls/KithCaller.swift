import Foundation

/// Carries out calls.
protocol KithCaller: Sendable {
    /// The present time, by the server's clock if there is a server.
    var now: Date { get }
    /// The answer to `call`.
    ///
    /// - Throws: ``KithProblem`` for a refusal and for a server that cannot be reached, and `CancellationError` if the
    ///   task is cancelled.
    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer
}
