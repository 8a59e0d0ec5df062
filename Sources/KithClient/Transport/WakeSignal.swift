/// Ends the waits before another try early, because the network returned or the app came to the front.
final class WakeSignal: Sendable {
    private let promise = Locked(Promise<Void>())

    /// The next ``wake()``.
    var next: Promise<Void> { promise.withLock { $0 } }

    /// Ends all waits.
    func wake() {
        promise.withLock { promise in
            defer { promise = Promise() }
            return promise
        }.resolve(.success(()))
    }

    /// Waits until ``wake()``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait() async throws { try await next.value() }

    /// Waits for the given time, or until ``wake()``. `woken` is ``next`` of an earlier moment, so that a wake since
    /// then counts.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for seconds: Double, or woken: Promise<Void>? = nil) async throws {
        let promise = woken ?? next
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await promise.value() }
            group.addTask { try await Task.sleep(for: .seconds(seconds)) }
            try await group.next()
            group.cancelAll()
        }
    }
}
