import Glibc

/// The locations of one cluster's files.
struct Cluster: Sendable {
    /// PostgreSQL's data directory.
    let data: String
    /// The log of the server and its tools.
    let log: String

    /// Finds the cluster of `home`, or chooses its place. The place is in `home`, or under `/var/lib` when the server's
    /// account cannot enter `home` (for example below `/root`). In the latter case `home/postgres-location` names it.
    init(home: String, identity: String, account: ServerAccount) throws(LocalPostgresError) {
        let note = home + "/postgres-location"
        if let elsewhere = contents(of: note)?.split(separator: "\n").first {
            self.init(directory: String(elsewhere))
            return
        }
        let here = Cluster(directory: home)
        let isMade = access(here.data, F_OK) == 0
        let isReachable = try account.canEnter(home)
        guard !isMade, !isReachable else {
            self = here
            return
        }
        let elsewhere = "/var/lib/kith-\(identity)"
        try makeDirectory(elsewhere, mode: 0o755)
        guard let file = fopen(note, "we") else {
            throw LocalPostgresError("cannot write \(note): \(String(cString: strerror(errno)))")
        }
        fputs("\(elsewhere)\nThe database is kept there because the user \(account.name) cannot enter \(home).\n", file)
        fclose(file)
        self.init(directory: elsewhere)
    }

    private init(directory: String) {
        data = directory + "/postgres"
        log = directory + "/postgres.log"
    }

    /// The major version that created the cluster; nil when there is no cluster yet.
    var major: Int? {
        contents(of: data + "/PG_VERSION").flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The process id of the postmaster, if it is alive.
    var postmaster: pid_t? {
        recordedPostmaster.flatMap { isPostmaster($0) ? $0 : nil }
    }

    /// Whether the server's program was deleted from disk. proc(5) marks the link to such a program as deleted.
    var isOutdated: Bool {
        guard let process = postmaster else { return false }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(process)/exe", &path, path.count)
        guard length > 0 else { return false }
        return String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self).hasSuffix(" (deleted)")
    }

    /// Releases the lock files of a postmaster that is dead. Another process may have its process id by now, or its
    /// parent has not collected it yet. PostgreSQL looks only at the id and would refuse to start.
    ///
    /// `postmaster.pid` keeps its other lines, because the server uses them to find children of the dead postmaster
    /// that still hold its shared memory.
    func releaseStaleLocks(socketDirectory: String) {
        guard let process = recordedPostmaster, postmaster == nil else { return }
        for name in entries(of: socketDirectory) where name.hasSuffix(".lock") { unlink(socketDirectory + "/" + name) }
        guard kill(process, 0) == 0, let lines = contents(of: lockFile), let end = lines.firstIndex(of: "\n"),
            let file = fopen(lockFile, "we")
        else { return }
        fputs("\(Self.nobody)\(lines[end...])", file)
        fclose(file)
    }

    /// Linux's maximum `pid_max`. No process has this id.
    private static let nobody = 4_194_304

    private var lockFile: String { data + "/postmaster.pid" }

    private var recordedPostmaster: pid_t? {
        contents(of: lockFile)?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    /// Whether a process is this cluster's postmaster: it calls itself postgres and works in the data directory. If the
    /// directory is not visible (root in a container without `CAP_SYS_PTRACE`), any postmaster counts, because two
    /// servers on one cluster would be worse. A child of a postmaster has a title such as `postgres: checkpointer`.
    private func isPostmaster(_ process: pid_t) -> Bool {
        guard let arguments = contents(of: "/proc/\(process)/cmdline"),
            let program = arguments.split(separator: "\0").first, !program.hasPrefix("postgres: "),
            contents(of: "/proc/\(process)/comm") == "postgres\n"
        else { return false }
        guard let directory = realpath("/proc/\(process)/cwd", nil) else { return true }
        defer { free(directory) }
        return String(cString: directory) == canonicalPath(data)
    }

    /// The last lines of the log, for an error message.
    var logTail: String {
        (contents(of: log) ?? "").split(separator: "\n").suffix(8).joined(separator: "\n")
    }
}
