import Foundation

/// A value behind a lock. (`Mutex` needs iOS 18.)
///
/// `@unchecked Sendable`: the value is used under the lock only.
package final class Locked<Value>: @unchecked Sendable {
    private var value: Value
    private let lock = NSLock()

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Gives `body` the value, alone. `body` must not wait.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
