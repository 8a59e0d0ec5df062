import Glibc

/// A lock on a file, held as long as the object lives. The kernel releases it when the process dies.
final class FileLock {
    private let descriptor: Int32

    /// Waits until the lock is free, and takes it.
    init(path: String) throws(LocalPostgresError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LocalPostgresError("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw LocalPostgresError("cannot lock \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
