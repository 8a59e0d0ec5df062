import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Kith {
    /// For how long a person waits for the result of an act.
    static let patience = Duration.seconds(20)

    /// Calls for help. Whoever needs help must not wait, and is told to call somebody else when `limit` is over; so no
    /// try follows after it.
    func callForHelp(_ request: CallForHelpRequest, within limit: Duration) async throws -> CalledAlarm {
        ownCall.assume()
        defer { ownCall.assume() }
        return try await soon(limit, endsWork: true) { try await self.api.callForHelp(request) }
    }

    /// The result of `work` if it comes within the limit. The work goes on after it, unless `endsWork`.
    ///
    /// - Throws: Its error, or ``KithProblem`` `unreachable` if it takes longer.
    func soon<Value: Sendable>(
        _ limit: Duration, endsWork: Bool = false, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let result = Promise<Value>()
        let working = Task {
            do { result.resolve(.success(try await work())) } catch { result.resolve(.failure(error)) }
        }
        let end = Task {
            try await Task.sleep(for: limit)
            result.resolve(.failure(KithProblem(URLError(.timedOut))))
            if endsWork { working.cancel() }
        }
        defer { end.cancel() }
        do {
            return try await result.value()
        } catch let error as CancellationError {
            if endsWork { working.cancel() }
            throw error
        }
    }
}
