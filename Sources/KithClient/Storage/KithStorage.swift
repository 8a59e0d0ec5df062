public import Foundation

/// Where a client keeps the sign-in and the check-ins that are not sent yet. An app that has its own place for secrets
/// conforms to this.
///
/// Items are small and named by ASCII letters, digits and hyphens. Each function acts on one item as a whole, and has
/// reached the disk when it returns: a check-in is called kept only then. Functions may be called from any thread, and
/// several at a time.
///
/// A storage with ``lock(_:)`` serves all processes of an app: they share one sign-in, and send each check-in once.
/// Without it, a storage has one client in one process. Two processes would exchange the same refresh token, which the
/// server takes for a theft.
public protocol KithStorage: Sendable {
    /// The names of all items.
    func names() throws -> [String]
    /// The item of that name; nil if there is none. An error means that nobody knows, such as because the device is
    /// locked.
    func read(_ name: String) throws -> Data?
    /// Writes an item, or replaces it. Whoever reads it meanwhile, in any process, gets the old item or the new one.
    func write(_ item: Data, as name: String) throws
    /// Removes an item, if there is one.
    func remove(_ name: String) throws
    /// Takes a lock, which one holder has at a time among all processes that use the items. It does not wait. The
    /// system frees the lock when the holder's process ends, however it ends. Names are those of a few locks, and of no
    /// item.
    ///
    /// - Returns: The lock; nil while another holder has it.
    func lock(_ name: String) throws -> (any KithStorageLock)?
}

/// A lock of a ``KithStorage`` that somebody holds.
public protocol KithStorageLock: Sendable {
    /// Lets the next holder have it. Only the first call counts.
    func unlock()
}

extension KithStorage {
    /// A lock that is always free, for a storage that one process uses.
    public func lock(_: String) throws -> (any KithStorageLock)? { FreeLock() }
}

private struct FreeLock: KithStorageLock {
    func unlock() {}
}
