import Foundation

/// The storage of a client, whose items other processes may change at any time.
///
/// Every process reads an item before it decides, and holds ``Lock/items`` from reading to writing. Nobody takes
/// another lock meanwhile. The other locks are for what takes a network, and are held while the network is waited for.
final class SharedStorage: Sendable {
    /// What only one process does at a time. The text is the name of a lock.
    enum Lock: String {
        /// Changes items. It is held for as long as a disk takes.
        case items
        /// Asks for new tokens, which the server gives for a refresh token once.
        case tokens
        /// Tells the server of ended sign-ins, and registers the device for pushes.
        case registration
        /// Sends a check-in.
        case sending
    }

    /// A lock that is held, until it is freed or nothing has it any more.
    final class Held: Sendable {
        private let free: @Sendable () -> Void
        private let isHeld = Locked(true)

        fileprivate init(_ free: @escaping @Sendable () -> Void) { self.free = free }

        deinit { unlock() }

        /// Lets the next holder have it.
        func unlock() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { free() }
        }
    }

    /// Another process holds a lock for too long, such as one that the system has stopped.
    struct IsBusy: Error, CustomStringConvertible {
        let description = "Another process of the app holds the storage."
    }

    private let storage: any KithStorage
    /// The locks that this process holds: a storage may have none of its own.
    private let held = Locked<Set<Lock>>([])

    init(_ storage: any KithStorage) { self.storage = storage }

    func names() throws -> [String] { try storage.names() }

    func read(_ name: String) throws -> Data? { try storage.read(name) }

    func write(_ item: Data, as name: String) throws { try storage.write(item, as: name) }

    func remove(_ name: String) throws { try storage.remove(name) }

    /// Takes a lock, unless somebody holds it.
    private func take(_ lock: Lock) throws -> Held? {
        guard held.withLock({ $0.insert(lock).inserted }) else { return nil }
        do {
            if let taken = try storage.lock(lock.rawValue) {
                guard let activity = BackgroundActivity(onExpiry: { taken.unlock() }) else {
                    taken.unlock()
                    _ = held.withLock { $0.remove(lock) }
                    return nil
                }
                return Held { [self] in
                    taken.unlock()
                    activity.end()
                    _ = held.withLock { $0.remove(lock) }
                }
            }
        } catch {
            _ = held.withLock { $0.remove(lock) }
            throw error
        }
        _ = held.withLock { $0.remove(lock) }
        return nil
    }

    /// The longest wait of ``alone(_:)``, in seconds. A disk takes some milliseconds.
    private static let longestWait = 2.0

    /// Changes items while no other process does. It blocks until the others have.
    ///
    /// - Throws: ``IsBusy``, an error of the storage, or what `body` throws.
    func alone<Result>(_ body: () throws -> Result) throws -> Result {
        let end = ContinuousClock.now + .seconds(Self.longestWait)
        var pause: UInt32 = 100
        while true {
            if let held = try take(.items) {
                defer { held.unlock() }
                return try body()
            }
            guard .now < end else { throw IsBusy() }
            usleep(.random(in: pause / 2...pause))
            pause = min(pause * 2, 5000)
        }
    }

    /// Waits for a lock, for the given number of seconds at most.
    ///
    /// - Throws: ``IsBusy``, an error of the storage, or `CancellationError` if the task is cancelled.
    func wait(for lock: Lock, upTo seconds: Double) async throws -> Held {
        let end = ContinuousClock.now + .seconds(seconds)
        var pause = 1.0
        while true {
            if let held = try take(lock) { return held }
            guard .now < end else { throw IsBusy() }
            try await Task.sleep(for: .milliseconds(.random(in: pause / 2...pause)))
            pause = min(pause * 2, 100)
        }
    }
}
