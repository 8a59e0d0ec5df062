/// A value that arrives once. Many tasks may wait for it, and a cancelled one stops waiting at once.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
        var last = 0
    }

    private let state = Locked(State())

    /// Creates a promise of a value that is not known yet.
    package init() {}

    /// Gives the value, or the reason why there is none. Only the first call counts.
    package func resolve(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            guard state.result == nil else { return [CheckedContinuation<Value, any Error>]() }
            state.result = result
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(with: result) }
    }

    /// The value, or the reason why there is none; nil as long as neither is known.
    package var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// Waits for the value.
    ///
    /// - Throws: `CancellationError` if the waiting task is cancelled. Others go on waiting.
    package func value() async throws -> Value {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.result == nil { state.waiting[number] = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }
}
