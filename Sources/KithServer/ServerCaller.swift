import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries out the calls of a tenant's server.
struct ServerCaller: Sendable {
    let exchange: HTTPExchange
    let key: String
    let send: @Sendable (URLRequest) async throws -> KithAnswer

    /// The answer to `call`.
    ///
    /// - Throws: ``KithProblem`` for a refusal and for a server that cannot be reached, and `CancellationError` if the
    ///   task is cancelled.
    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer {
        let answer = try await exchange.make(
            call, token: { _ in call.credential == .bearer ? key : nil },
            sleep: { try await Task.sleep(for: .seconds($0)) },
            send: { request in
                let answer = try await send(request)
                return (answer, answer)
            })
        return try call.read(answer)
    }
}
