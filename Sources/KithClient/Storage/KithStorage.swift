public import Foundation

/// Where a client keeps the sign-in and the check-ins that are not sent yet. An app that has its own place for secrets
/// conforms to this.
///
/// Items are small and named by ASCII letters, digits and hyphens. Each function acts on one item as a whole, and has
/// reached the disk when it returns: a check-in is called kept only then. Functions may be called from any thread, one
/// at a time for each client.
///
/// A storage has one client in one process. An app extension gets a storage and a sign-in of its own: two processes
/// would exchange the same refresh token, which the server takes for a theft, and would send the same check-ins.
public protocol KithStorage: Sendable {
    /// The names of all items.
    func names() throws -> [String]
    /// The item of that name; nil if there is none. An error means that nobody knows, such as because the device is
    /// locked.
    func read(_ name: String) throws -> Data?
    /// Writes an item, or replaces it.
    func write(_ item: Data, as name: String) throws
    /// Removes an item, if there is one.
    func remove(_ name: String) throws
}

extension KithStorage where Self == FileStorage {
    /// Files that only their owner can read. `url` holds the sign-in; the check-ins that are not sent yet stand beside
    /// it, in files whose names begin with its name.
    public static func file(_ url: URL) -> FileStorage { FileStorage(url: url) }
}

/// Keeps items in files that only their owner can read (mode 0600).
public struct FileStorage: KithStorage {
    let url: URL

    /// An operation of the file system failed.
    public struct Failure: Error, CustomStringConvertible {
        /// The operation, and the reason.
        public let description: String
    }

    /// The session has the file that the app named; every other item stands beside it.
    private func path(_ name: String) -> String {
        name == SessionRecord.name ? url.path : "\(url.path).\(name)"
    }

    private var folder: String { url.deletingLastPathComponent().path }

    /// The names of all items.
    public func names() throws -> [String] {
        let prefix = url.lastPathComponent + "."
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let session = names.contains(url.lastPathComponent) ? [SessionRecord.name] : []
        return session
            + names.filter { $0.hasPrefix(prefix) && !$0.hasSuffix("~") }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Reads an item.
    public func read(_ name: String) throws -> Data? {
        let path = path(name)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Writes beside the item, then takes its place: whenever the process or the device stops, the old item or the new
    /// one is there, whole.
    public func write(_ item: Data, as name: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let (path, draft) = (path(name), path(name) + "~")
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try check(file, "open")
        do {
            defer { close(file) }
            try check(fchmod(file, 0o600), "fchmod")
            var rest = item[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                try check(Int32(clamping: count), "write")
                rest = rest.dropFirst(count)
            }
            try flush(file)
        }
        try check(rename(draft, path), "rename")
        try flushFolder()
    }

    /// Removes an item, if there is one.
    public func remove(_ name: String) throws {
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw failure("unlink") }
        try flushFolder()
    }

    /// A new name is on the disk only when its folder is (fsync(2)).
    private func flushFolder() throws {
        let file = open(folder, O_RDONLY | O_CLOEXEC)
        try check(file, "open")
        defer { close(file) }
        try flush(file)
    }

    private func flush(_ file: Int32) throws {
        #if canImport(Darwin)
            // There, fsync only reaches the drive's cache (fsync(2)).
            if fcntl(file, F_FULLFSYNC) == 0 { return }
        #endif
        try check(fsync(file), "fsync")
    }

    private func check(_ result: Int32, _ operation: String) throws {
        if result < 0 { throw failure(operation) }
    }

    private func failure(_ operation: String) -> Failure {
        Failure(description: "\(operation): \(String(cString: strerror(errno)))")
    }
}
