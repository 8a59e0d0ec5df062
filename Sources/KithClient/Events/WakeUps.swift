import Foundation

/// Wakes what waits when the app comes to the front.
///
/// `@unchecked Sendable`: the lock guards the state.
final class WakeUps: @unchecked Sendable {
    private let lock = NSLock()
    private var sleepers: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var cancelled: Set<UInt64> = []
    private var nextNumber: UInt64 = 0

    /// Wakes all sleepers.
    func wake() {
        let woken = lock.withLock {
            defer { sleepers = [:] }
            return sleepers.values
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Returns when the app comes to the front, or when the task is cancelled.
    func next() async {
        let number = lock.withLock {
            nextNumber += 1
            return nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = lock.withLock {
                    if cancelled.remove(number) != nil { return true }
                    sleepers[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let sleeper = lock.withLock { () -> CheckedContinuation<Void, Never>? in
                if let sleeper = sleepers.removeValue(forKey: number) { return sleeper }
                cancelled.insert(number)
                return nil
            }
            sleeper?.resume()
        }
        lock.withLock { _ = cancelled.remove(number) }
    }
}
