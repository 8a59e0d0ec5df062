import Glibc

/// Runs programs and waits for them. They inherit no descriptors, get a minimal environment, and run in `/`, so that a
/// server that outlives this process keeps nothing of it open.
enum ChildProcess {
    private static let environment =
        ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C.UTF-8", "TZ=UTC"] + variables(of: preloadedClock)
    /// The variables that give a process a clock other than the machine's. The server must use the same clock (`make
    /// test-clocks`).
    private static let preloadedClock = ["LD_PRELOAD", "CLOCK_OFFSET"]
    /// `POSIX_SPAWN_SETSID`, a GNU extension that Swift's Glibc does not import.
    private static let newSession: Int16 = 0x80

    private static func variables(of names: [String]) -> [String] {
        names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }

    /// Runs a program, with its output appended to the file `output`, and returns its exit status. If a signal ended
    /// it, the result is 128 plus the signal.
    static func run(_ arguments: [String], output: String) throws(LocalPostgresError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for descriptor in openDescriptors() where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // The program gets its own session, so that Ctrl-C at the terminal does not reach it. Its signals are reset to
        // their defaults.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession)

        // The shell changes the directory, and the program then replaces it.
        var list = cStrings(["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"] + arguments)
        var variables = cStrings(environment)
        defer { (list + variables).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, "/bin/sh", &actions, &attributes, &list, &variables)
        guard failure == 0 else {
            throw LocalPostgresError("cannot run \(arguments[0]): \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else {
                throw LocalPostgresError("cannot wait for \(arguments[0]): \(String(cString: strerror(errno)))")
            }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var list: [UnsafeMutablePointer<CChar>?] = []
        for text in texts { list.append(strdup(text)) }
        return list + [nil]
    }

    private static func openDescriptors() -> [Int32] {
        entries(of: "/proc/self/fd").compactMap { Int32($0) }
    }
}
