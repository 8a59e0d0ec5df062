public import Foundation

extension KithStorage where Self == FileStorage {
    /// Files that only their owner can read. `url` holds the sign-in; the check-ins that are not sent yet stand beside
    /// it, in files whose names begin with its name. All processes of an app may use the same file, such as one in the
    /// folder of an app group.
    public static func file(_ url: URL) -> FileStorage { FileStorage(url: url) }
}

/// Keeps items in files that only their owner can read (mode 0600), for all processes that name the same file.
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

    /// The names of all items. It also removes the drafts of writes that were interrupted.
    public func names() throws -> [String] {
        let prefix = url.lastPathComponent + "."
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        for name in names where name.hasPrefix(prefix) && name.hasSuffix("~") { removeDraft("\(folder)/\(name)") }
        let session = names.contains(url.lastPathComponent) ? [SessionRecord.name] : []
        // The names of items have no dot: others are of drafts and of locks.
        return session
            + names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }.filter {
                !$0.contains { $0 == "." || $0 == "~" }
            }
    }

    /// Reads an item.
    public func read(_ name: String) throws -> Data? {
        let file = open(path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if file < 0, [ENOENT, ENOTDIR].contains(errno) { return nil }
        try check(file, "open")
        defer { close(file) }
        try checkOwner(of: file)
        var item = Data()
        try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while true {
                let count = Foundation.read(file, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                try check(Int32(clamping: count), "read")
                if count == 0 { return }
                item.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        return item
    }

    /// Writes beside the item, then takes its place: whenever the process or the device stops, the old item or the new
    /// one is there, whole.
    public func write(_ item: Data, as name: String) throws {
        try makeFolder()
        // Another process may write the same item, and another user must not know the name before.
        let (path, draft) = (path(name), "\(path(name)).\(UUID().uuidString)~")
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        try check(file, "open")
        defer { unlink(draft) }
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

    /// Removes a draft, unless it was touched within the last minute: its process may be writing it.
    private func removeDraft(_ path: String) {
        var draft = stat()
        if stat(path, &draft) == 0, time(nil) - modified(draft) > 60 { unlink(path) }
    }

    private func modified(_ file: stat) -> Int {
        #if canImport(Darwin)
            file.st_mtimespec.tv_sec
        #else
            file.st_mtim.tv_sec
        #endif
    }

    /// Removes an item, if there is one.
    public func remove(_ name: String) throws {
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw failure("unlink") }
        try flushFolder()
    }

    /// Takes a lock of a file beside the items (flock(2)), which the system frees with the process.
    public func lock(_ name: String) throws -> (any KithStorageLock)? {
        try makeFolder()
        let file = open("\(url.path).\(name).lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        try check(file, "open")
        do {
            try checkOwner(of: file)
        } catch {
            close(file)
            throw error
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(file)
            if reason == EWOULDBLOCK { return nil }
            throw failure("flock", reason)
        }
        return FileLock(file)
    }

    /// Whoever could plant a file would sign the person in as somebody else.
    private func checkOwner(of file: Int32) throws {
        var information = stat()
        try check(fstat(file, &information), "fstat")
        if information.st_uid != geteuid() { throw Failure(description: "open: the file belongs to another user") }
    }

    private func makeFolder() throws {
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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

    private func failure(_ operation: String, _ reason: Int32 = errno) -> Failure {
        Failure(description: "\(operation): \(String(cString: strerror(reason)))")
    }
}

/// An open file that is locked as long as it is open.
private final class FileLock: KithStorageLock {
    private let file: Locked<Int32?>

    init(_ file: Int32) { self.file = Locked(file) }

    deinit { unlock() }

    func unlock() {
        if let file = file.withLock({ $0.take() }) { close(file) }
    }
}
