import Foundation

/// Keeps items until the process ends.
final class MemoryStorage: KithStorage {
    private let items = Locked<[String: Data]>([:])

    func names() -> [String] { items.withLock { Array($0.keys) } }

    func read(_ name: String) -> Data? { items.withLock { $0[name] } }

    func write(_ item: Data, as name: String) { items.withLock { $0[name] = item } }

    func remove(_ name: String) { items.withLock { $0[name] = nil } }
}
