import Foundation
import KithClient
import Synchronization

/// A storage whose process is killed at one of its steps: the beginning or the end of an operation.
final class KillingStorage: KithStorage {
    private let storage: FileStorage
    private let steps: Steps

    /// - Parameters:
    ///   - storage: Where the items are.
    ///   - number: The number of the step at which the process is killed, from one.
    init(storage: FileStorage, killAt number: Int) {
        self.storage = storage
        steps = Steps(killAt: number)
    }

    func names() throws -> [String] { try step { try storage.names() } }

    func read(_ name: String) throws -> Data? { try step { try storage.read(name) } }

    func write(_ item: Data, as name: String) throws { try step { try storage.write(item, as: name) } }

    func remove(_ name: String) throws { try step { try storage.remove(name) } }

    func lock(_ name: String) throws -> (any KithStorageLock)? {
        try step { try storage.lock(name) }.map { CountedLock(lock: $0, steps: steps) }
    }

    private func step<Result>(_ body: () throws -> Result) rethrows -> Result {
        steps.count()
        defer { steps.count() }
        return try body()
    }

    private struct CountedLock: KithStorageLock {
        let lock: any KithStorageLock
        let steps: Steps

        func unlock() {
            steps.count()
            lock.unlock()
        }
    }

    private final class Steps: Sendable {
        private let number: Int
        private let passed = Atomic(0)

        init(killAt number: Int) { self.number = number }

        func count() {
            if passed.add(1, ordering: .relaxed).newValue == number { kill(getpid(), SIGKILL) }
        }
    }
}
