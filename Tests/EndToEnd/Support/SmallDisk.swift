import ChildProcesses
import Foundation
import Glibc
import Postgres

/// A disk of a few megabytes, in memory, for a database of a test's PostgreSQL server. Only root can make one.
final class SmallDisk: Sendable {
    private let folder: URL
    private var filling: URL { folder.appending(path: "filling") }

    static var isPossible: Bool { geteuid() == 0 }

    /// Moves a database to a disk with `spare` bytes more than it takes. `server` is a superuser's session in another
    /// database of its server. Nobody may be connected to it.
    init(for database: String, of server: PostgresSession, spare: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "kith-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let size = try server.query("select pg_database_size($1)", [.text(database)]).int(0, 0) ?? 0
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(size + spare)", "tmpfs", folder.path)
        let place = folder.appending(path: "tablespace")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        var owner = stat()
        let data = try server.query("select current_setting('data_directory')").string(0, 0) ?? ""
        guard stat(data, &owner) == 0, chown(place.path, owner.st_uid, owner.st_gid) == 0 else {
            throw KithProcess.Failure(description: "\(place.path) cannot be given to PostgreSQL")
        }
        try server.execute("create tablespace small location '\(place.path)'")
        try server.execute("alter database \(database) set tablespace small")
    }

    deinit {
        try? Self.run("umount", "--lazy", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Takes all but `bytes` of what is free.
    func fill(leaving bytes: Int) throws {
        var space = statvfs()
        guard statvfs(folder.path, &space) == 0 else { throw KithProcess.Failure(description: "statvfs failed") }
        let free = Int(space.f_bavail) * Int(space.f_frsize)
        try Data(count: max(free - bytes, 0)).write(to: filling)
    }

    /// Gives back what ``fill(leaving:)`` took.
    func clear() throws {
        try FileManager.default.removeItem(at: filling)
    }

    private static func run(_ arguments: String...) throws {
        let process = try ChildProcess(arguments, output: .null)
        guard process.wait() == 0 else {
            throw KithProcess.Failure(description: "\(arguments.joined(separator: " ")) failed")
        }
    }
}
