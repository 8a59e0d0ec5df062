import Glibc
public import Postgres
import Synchronization

/// A PostgreSQL server in a temporary folder for tests, in memory if there is enough. It disappears with its data when
/// the object is released or the process exits.
///
/// The next process removes what a killed process left behind.
public final class EphemeralPostgres: Sendable {
    /// The server.
    public let server: LocalPostgres
    private let gone = Atomic(false)

    /// Creates and starts a server, which takes about 1 s. `fsync` is off by default; turn it on for tests of crashes.
    /// With a `template`, which must be stopped (``LocalPostgres/stop()``), the server starts with a copy of its data,
    /// including the roles. With a `primary` besides, which must be a copy of the same template, it is a streaming
    /// standby of the primary.
    public init(
        fsync: Bool = false, settings: LocalPostgresSettings = LocalPostgresSettings(),
        template: EphemeralPostgres? = nil, primary: EphemeralPostgres? = nil
    ) throws(LocalPostgresError) {
        Self.sweep()
        var settings = settings
        settings.fsync = fsync
        // No ephemeral server lives long enough to need autovacuum, and each table's statistics are the worker's to
        // gather. A migration locks some 2,000 objects, and tests run several in one server.
        settings.parameters.merge(["autovacuum": "off", "max_locks_per_transaction": "256"]) { given, _ in given }
        if let primary {
            settings.parameters["primary_conninfo"] =
                "host=\(primary.server.socketDirectory) user=postgres"
            settings.parameters["wal_retrieve_retry_interval"] = "100ms"
        }
        let number = Self.made.add(1, ordering: .relaxed).newValue
        let server = LocalPostgres(home: "\(Self.folder)/\(Self.prefix)\(getpid())-\(number)", settings: settings)
        self.number = number
        self.server = server
        Self.living.withLock { living in
            if living == nil {
                living = [:]
                atexit { EphemeralPostgres.removeAll() }
            }
            living?[number] = server
        }
        if let template { try server.copy(template.server, asStandby: primary != nil) }
        try server.start()
    }

    deinit {
        remove()
    }

    /// Stops the server and removes its folder. Further calls do nothing.
    public func remove() {
        guard !gone.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Self.living.withLock { _ = $0?.removeValue(forKey: number) }
        Self.remove(server)
    }

    /// Creates a database, as a copy of `template` if one is named (0.1 s), and returns its URL for the superuser.
    public func createDatabase(_ name: String, template: String = "template1") throws(PostgresError) -> String {
        let session = try PostgresSession(url: server.url())
        try session.execute("create database \"\(name)\" template \"\(template)\"")
        return server.url(database: name)
    }

    // MARK: - Clean-up

    private let number: Int
    /// In memory if there is room, because nothing must last, and a copy of a template has a thousand small files.
    private static let folder: String = {
        var space = statvfs()
        guard statvfs("/dev/shm", &space) == 0, space.f_bavail * space.f_frsize > 4 << 30, availableMemory > 4 << 30
        else { return "/tmp" }
        return "/dev/shm"
    }()
    private static let prefix = "kith-ephemeral-"
    /// The available memory in bytes (proc(5), `/proc/meminfo`).
    private static var availableMemory: Int {
        let line = contents(of: "/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
    private static let made = Atomic(0)
    /// The servers to remove, by number; nil until the first one has registered the clean-up at exit.
    private static let living = Mutex<[Int: LocalPostgres]?>(nil)

    private static func removeAll() {
        for server in living.withLock({ Array(($0 ?? [:]).values) }) { remove(server) }
    }

    private static func remove(_ server: LocalPostgres) {
        try? server.abandon()
        // If the server's account cannot enter the folder, the data lies elsewhere.
        let elsewhere = contents(of: server.home + "/postgres-location")?.split(separator: "\n").first.map(String.init)
        for path in [server.home, server.socketDirectory, elsewhere].compactMap({ $0 }) {
            _ = try? ServerProgram.run(["/bin/rm", "-rf", path], output: "/dev/null")
        }
    }

    /// Removes the servers of processes that are no longer alive.
    private static func sweep() {
        for folder in ["/tmp", "/dev/shm"] {
            for name in entries(of: folder) where name.hasPrefix(prefix) {
                guard let owner = pid_t(name.dropFirst(prefix.count).prefix { $0.isNumber }), kill(owner, 0) != 0,
                    errno == ESRCH
                else { continue }
                remove(LocalPostgres(home: "\(folder)/\(name)"))
            }
        }
    }
}
