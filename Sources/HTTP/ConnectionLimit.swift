internal import Synchronization

/// Limits how many connections one IP address may have open at once, over all servers that share the limit.
public final class ConnectionLimit: Sendable {
    private let most: Int
    private let counts = Mutex<[String: Int]>([:])

    /// Allows `most` connections per address.
    public init(most: Int) {
        self.most = most
    }

    /// Counts a connection in. Returns false if the address has no connection left; otherwise a call of ``leave(_:)``
    /// must follow.
    func enter(_ address: String) -> Bool {
        counts.withLock { counts in
            guard counts[address, default: 0] < most else { return false }
            counts[address, default: 0] += 1
            return true
        }
    }

    /// Counts a connection out.
    func leave(_ address: String) {
        counts.withLock { counts in
            guard let count = counts[address] else { return }
            counts[address] = count > 1 ? count - 1 : nil
        }
    }
}
