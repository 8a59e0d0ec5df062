import Glibc
import Postgres

/// An embedded PostgreSQL server, kept in a folder. It serves `kith dev`, commands without a configured database, and
/// tests.
///
/// It listens on a unix socket in a directory that only its user can enter, and trusts every connection there. It
/// continues to run when the process that started it ends.
public struct LocalPostgres: Sendable {
    /// The folder (`KITH_HOME`), as an absolute path.
    public let home: String
    private let settings: LocalPostgresSettings
    private let identity: String

    /// Names a cluster. Nothing is created or started yet. `settings` apply when the server starts.
    public init(home: String, settings: LocalPostgresSettings = LocalPostgresSettings()) {
        self.home = canonicalPath(home)
        self.settings = settings
        identity = Self.hash(self.home)
    }

    /// Starts the server if it is not running, creates the cluster if there is none, and returns when the server
    /// accepts connections: 1 s the first time, 0.2 s later. Two processes may call it at once.
    ///
    /// When an upgrade replaces the program of a running server, the server can no longer load its libraries, and
    /// whatever needs one fails with 58P01. With `restartsOutdated`, such a server is restarted.
    ///
    /// - Throws: `LocalPostgresError` when the server cannot run, or is outdated and may not be restarted.
    public func start(restartsOutdated: Bool = false) throws(LocalPostgresError) {
        try makeDirectory(home, mode: geteuid() == 0 ? 0o711 : 0o700)
        let lock = try FileLock(path: home + "/postgres.lock")
        defer { withExtendedLifetime(lock) {} }
        let account = try ServerAccount()
        let cluster = try Cluster(home: home, identity: identity, account: account)
        if try takesConnections(cluster) {
            guard cluster.isOutdated else { return }
            guard restartsOutdated else {
                throw LocalPostgresError(
                    "the PostgreSQL of \(home) is older than the one installed, which has replaced its files while it ran; "
                        + "end kith dev (Ctrl-C) if it runs, and run: kith dev",
                    remedy: "end kith dev (Ctrl-C) if it runs, and run: kith dev")
            }
            try stop(cluster, account, modes: ["fast", "immediate"])
        }
        let binaries = try ServerBinaries.find(major: cluster.major)
        try prepareLog(cluster, account)
        if cluster.major == nil { try initialize(cluster, binaries, account) }
        try prepareSocketDirectory(account)
        cluster.releaseStaleLocks(socketDirectory: socketDirectory)
        try launch(cluster, binaries, account)
    }

    /// Creates the cluster as a copy of another one, whose server must not be running. ``start()`` then starts it, as a
    /// standby if asked to.
    func copy(_ template: LocalPostgres, asStandby: Bool = false) throws(LocalPostgresError) {
        try makeDirectory(home, mode: geteuid() == 0 ? 0o711 : 0o700)
        let lock = try FileLock(path: home + "/postgres.lock")
        defer { withExtendedLifetime(lock) {} }
        let account = try ServerAccount()
        let source = try Cluster(home: template.home, identity: template.identity, account: account)
        guard source.major != nil, source.postmaster == nil else {
            throw LocalPostgresError("\(source.data) is not a stopped cluster and cannot be copied")
        }
        let cluster = try Cluster(home: home, identity: identity, account: account)
        guard cluster.major == nil else { throw LocalPostgresError("\(cluster.data) already exists") }
        try prepareLog(cluster, account)
        try make(cluster, account) { unfinished in ["/bin/cp", "-a", source.data + "/.", unfinished] }
        guard asStandby else { return }
        let signal = cluster.data + "/standby.signal"
        let descriptor = open(signal, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LocalPostgresError("cannot write \(signal): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        try account.own(signal)
    }

    /// Shuts the server down in `fast` mode, which ends all sessions, and returns when it is gone. Does nothing if
    /// there is no server.
    ///
    /// A server that has not stopped after 20 s is stopped in `immediate` mode, like in a power cut, which loses
    /// nothing either. PostgreSQL 15 can hang when it is told to stop during crash recovery.
    public func stop() throws(LocalPostgresError) {
        try stop(modes: ["fast", "immediate"])
    }

    /// Stops the server immediately, like in a power cut. The next start recovers.
    func abandon() throws(LocalPostgresError) {
        try stop(modes: ["immediate"])
    }

    private func stop(modes: [String]) throws(LocalPostgresError) {
        guard access(home, F_OK) == 0 else { return }
        let lock = try FileLock(path: home + "/postgres.lock")
        defer { withExtendedLifetime(lock) {} }
        let account = try ServerAccount()
        let cluster = try Cluster(home: home, identity: identity, account: account)
        try stop(cluster, account, modes: modes)
    }

    private func stop(
        _ cluster: Cluster, _ account: ServerAccount, modes: [String]
    ) throws(LocalPostgresError) {
        guard cluster.postmaster != nil else { return }
        let program = try ServerBinaries.find(major: cluster.major).path("pg_ctl")
        for mode in modes {
            let arguments = [program, "stop", "-D", cluster.data, "-m", mode, "-w", "-t", "20", "-s"]
            let status = try account.run(arguments, output: cluster.log)
            guard status == 0 || cluster.postmaster == nil else { continue }
            rmdir(socketDirectory)
            return
        }
        throw LocalPostgresError("PostgreSQL does not stop:\n\(cluster.logTail)")
    }

    /// Whether the server's process is alive.
    public var isRunning: Bool { processID != nil }

    /// The process id of the server (the postmaster), if it is alive.
    public var processID: Int32? {
        guard let account = try? ServerAccount(), access(home, F_OK) == 0 else { return nil }
        return try? Cluster(home: home, identity: identity, account: account).postmaster
    }

    /// The libpq URL of a database on this server. The superuser is `postgres`.
    public func url(database: String = "postgres", user: String = "postgres") -> String {
        "postgresql://\(Self.escaped(user))@/\(Self.escaped(database))?host=\(socketDirectory)&port=\(settings.port)"
    }

    /// The path of one of PostgreSQL's programs, such as `psql`, in the cluster's version.
    public func program(_ name: String) throws(LocalPostgresError) -> String {
        let account = try ServerAccount()
        let major = access(home, F_OK) == 0 ? try Cluster(home: home, identity: identity, account: account).major : nil
        return try ServerBinaries.find(major: major).path(name)
    }

    /// The name is short, because the path of a socket has at most 107 bytes.
    var socketDirectory: String { "/tmp/kith-\(geteuid())-\(identity)" }

    // MARK: - Steps

    private func prepareLog(_ cluster: Cluster, _ account: ServerAccount) throws(LocalPostgresError) {
        let descriptor = open(cluster.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LocalPostgresError("cannot write \(cluster.log): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        try account.own(cluster.log)
    }

    private func initialize(
        _ cluster: Cluster, _ binaries: ServerBinaries, _ account: ServerAccount
    ) throws(LocalPostgresError) {
        try make(cluster, account) { unfinished in
            [
                binaries.path("initdb"), "-D", unfinished, "-U", "postgres", "--encoding=UTF8", "--locale=C.UTF-8",
                "--auth-local=trust", "--auth-host=scram-sha-256", "--data-checksums",
            ] + (settings.fsync ? [] : ["--no-sync"])
        }
    }

    /// Creates the cluster with a command in a temporary place, and moves it when it is complete, so that an
    /// interrupted start leaves no cluster.
    private func make(
        _ cluster: Cluster, _ account: ServerAccount, by command: (_ directory: String) -> [String]
    ) throws(LocalPostgresError) {
        let unfinished = cluster.data + ".new"
        if access(unfinished, F_OK) == 0 {
            _ = try ServerProgram.run(["/bin/rm", "-rf", unfinished], output: "/dev/null")
        }
        try makeDirectory(unfinished, mode: 0o700)
        try account.own(unfinished)
        let arguments = command(unfinished)
        guard try account.run(arguments, output: cluster.log) == 0 else {
            throw LocalPostgresError("\(arguments[0]) failed:\n\(cluster.logTail)")
        }
        guard rename(unfinished, cluster.data) == 0 else {
            throw LocalPostgresError("cannot make \(cluster.data): \(String(cString: strerror(errno)))")
        }
    }

    /// Creates the directory for the socket. Because everybody can write to `/tmp`, a directory that another user has
    /// put there is refused.
    private func prepareSocketDirectory(_ account: ServerAccount) throws(LocalPostgresError) {
        if mkdir(socketDirectory, 0o700) == 0 { try account.own(socketDirectory) }
        var facts = stat()
        guard lstat(socketDirectory, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == account.userID,
            facts.st_mode & 0o077 == 0
        else {
            throw LocalPostgresError("\(socketDirectory) is not private to this user; run: rm -rf \(socketDirectory)")
        }
    }

    private func launch(
        _ cluster: Cluster, _ binaries: ServerBinaries, _ account: ServerAccount
    ) throws(LocalPostgresError) {
        let options = settings.commandLine(socketDirectory: socketDirectory)
            .map { "-c \($0.name)=\(Self.quoted($0.value))" }.joined(separator: " ")
        let arguments = [
            binaries.path("pg_ctl"), "start", "-D", cluster.data, "-l", cluster.log, "-w", "-t", "60", "-s",
            "-o", options,
        ]
        // After kill -9 of the postmaster, its children hold the shared memory until they notice. Until then the start
        // is refused.
        for attempt in 1... {
            if try account.run(arguments, output: cluster.log) == 0 { return }
            let tail = cluster.logTail
            guard attempt < 50, tail.contains("pre-existing shared memory block") else {
                throw LocalPostgresError("PostgreSQL does not start:\n\(tail)")
            }
            usleep(100_000)
        }
    }

    /// Waits for a server that is starting. Returns false when there is none, or when it dies in the meantime.
    private func takesConnections(_ cluster: Cluster) throws(LocalPostgresError) -> Bool {
        var attempts = 0
        while cluster.postmaster != nil {
            do throws(PostgresError) {
                _ = try PostgresSession(url: url())
                return true
            } catch {
                attempts += 1
                guard attempts < 600 else {
                    throw LocalPostgresError("PostgreSQL is running but accepts no connections: \(error)")
                }
                usleep(50000)
            }
        }
        return false
    }

    // MARK: - Names

    /// FNV-1a with 64 bits: a short name for a path, not a secret.
    private static func hash(_ text: String) -> String {
        let value = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(value, radix: 36)
    }

    /// Quotes a word for the shell to which pg_ctl passes its options.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Percent-encodes everything but unreserved characters (RFC 3986 §2.1).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
