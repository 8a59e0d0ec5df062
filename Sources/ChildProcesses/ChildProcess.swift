package import CLinux
import Glibc
import Synchronization

/// A program that runs as a child of this process, in a session of its own, so that Ctrl-C at the terminal does not
/// reach it.
///
/// It inherits its three standard streams and no other descriptor, and its signals are reset to their defaults.
/// Foundation's `Process` is no replacement. It closes the descriptors that it finds open one by one, so a child
/// inherits what another thread opens meanwhile. One of these is the socket at which `Process` waits for the end of
/// another child: that wait then lasts as long as both children.
package final class ChildProcess: Sendable {
    /// What a standard stream of the program is.
    package enum Stream: Sendable {
        /// `/dev/null`.
        case null
        /// This process's own stream.
        case inherited
        /// The file at this path: read as an input stream; created if it is missing and appended to as an output
        /// stream.
        case file(String)
        /// A descriptor of this process, which stays open here.
        case descriptor(Int32)
    }

    /// The identifier, which no other process has until the end was noticed by ``wait()`` or ``isRunning``.
    package let processID: pid_t
    /// The result of ``wait()``, once the kernel has been asked for it.
    private let result = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, by its path or by a name that is sought in this process's `PATH`, and its arguments.
    ///   - environment: All of its environment; nil for this process's own.
    ///   - folder: Its working directory; nil for this process's own.
    ///   - input: Its standard input stream.
    ///   - output: Its standard output stream.
    ///   - errors: Its standard error stream; nil for the same as `output`.
    /// - Throws: ``ChildProcessError`` if it cannot be started.
    package init(
        _ arguments: [String], environment: [String: String]? = nil, folder: String? = nil, input: Stream = .null,
        output: Stream, errors: Stream? = nil
    ) throws(ChildProcessError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.add(input, as: 0, flags: O_RDONLY, to: &actions)
        Self.add(output, as: 1, flags: Self.append, to: &actions)
        if let errors {
            Self.add(errors, as: 2, flags: Self.append, to: &actions)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | kith_posix_spawn_setsid)

        var list = Self.cStrings(arguments)
        var variables = environment.map { Self.cStrings($0.map { "\($0)=\($1)" }) } ?? []
        defer { (list + variables).forEach { free($0) } }
        var child: pid_t = 0
        let failure =
            if environment == nil {
                posix_spawnp(&child, arguments[0], &actions, &attributes, &list, environ)
            } else {
                posix_spawnp(&child, arguments[0], &actions, &attributes, &list, &variables)
            }
        guard failure == 0 else {
            throw ChildProcessError(description: "cannot run \(arguments[0]): \(String(cString: strerror(failure)))")
        }
        processID = child
    }

    /// Whether the program has not ended.
    package var isRunning: Bool {
        result.withLock { result in
            if result == nil { result = reap(WNOHANG) }
            return result == nil
        }
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        // The identifier stays the program's until the lock is taken: another thread may signal it meanwhile.
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        return result.withLock { result in
            let status = result ?? reap(0) ?? 0
            result = status
            return status
        }
    }

    /// Sends a signal to the program unless its end was noticed.
    package func signal(_ signal: Int32) {
        result.withLock { result in
            if result == nil { _ = Glibc.kill(processID, signal) }
        }
    }

    /// Kills the program unless it has ended, and waits for its end.
    package func kill() {
        signal(SIGKILL)
        wait()
    }

    /// Asks the kernel for the result, which then forgets the process; nil while the program runs.
    private func reap(_ options: Int32) -> Int32? {
        var status: Int32 = 0
        while true {
            let found = waitpid(processID, &status, options)
            if found == processID { break }
            guard found < 0 && errno == EINTR else { return nil }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    private static let append = O_WRONLY | O_CREAT | O_APPEND

    private static func add(
        _ stream: Stream, as descriptor: Int32, flags: Int32, to actions: inout posix_spawn_file_actions_t
    ) {
        switch stream {
        case .inherited: break
        case .null: posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", flags & O_ACCMODE, 0)
        case .file(let path): posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
        case .descriptor(let source): posix_spawn_file_actions_adddup2(&actions, source, descriptor)
        }
    }

    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var list: [UnsafeMutablePointer<CChar>?] = []
        for text in texts { list.append(strdup(text)) }
        return list + [nil]
    }
}

/// The reason for which a program could not be started.
package struct ChildProcessError: Error, CustomStringConvertible {
    package let description: String
}
