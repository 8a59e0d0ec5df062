/// Ends the waits before another try early, because the network returned or the app came to the front.
final class WakeSignal: Sendable {
    private let next = Locked(Promise<Void>())

    /// Ends all waits.
    func wake() {
        next.withLock { promise in
            defer { promise = Promise() }
            return promise
        }.resolve(.success(()))
    }

    /// Waits until ``wake()``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait() async throws { try await next.withLock { $0 }.value() }

    /// Waits for the given time, or until ``wake()``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for seconds: Double) async throws {
        let promise = next.withLock { $0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await promise.value() }
            group.addTask { try await Task.sleep(for: .seconds(seconds)) }
            try await group.next()
            group.cancelAll()
        }
    }
}
