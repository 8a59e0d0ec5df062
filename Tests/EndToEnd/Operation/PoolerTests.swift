import ChildProcesses
import Foundation
import Glibc
import TestThreads
import Testing

/// PgBouncer in front of an installation's PostgreSQL, which ignores the start-up parameters of its clients' sessions.
private final class Pooler {
    private let process: ChildProcess
    private let folder = FileManager.default.temporaryDirectory.appending(path: "kith-pooler-\(UUID().uuidString)")

    init(before url: String) throws {
        let source = try #require(URLComponents(string: url))
        func value(_ name: String) throws -> String {
            try #require(source.queryItems?.first { $0.name == name }?.value)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // PgBouncer refuses to run as root, and only PostgreSQL's account can open PostgreSQL's socket.
        chmod(folder.path, 0o777)
        let configuration = folder.appending(path: "pgbouncer.ini")
        let place = "host=\(try value("host")) port=\(try value("port")) dbname=kith"
        // With `auth_type = any` the database says as whom PgBouncer logs in, so each user has one of their own.
        let text = """
            [databases]
            as_postgres = \(place) user=postgres
            as_kith_api = \(place) user=kith_api
            [pgbouncer]
            listen_port = 6432
            unix_socket_dir = \(folder.path)
            auth_type = any
            pool_mode = session
            default_pool_size = 60
            ignore_startup_parameters = options, extra_float_digits

            """
        try text.write(to: configuration, atomically: true, encoding: .utf8)
        let account = geteuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []
        process = try ChildProcess(account + ["pgbouncer", "--quiet", configuration.path], output: .null)
        let end = Date() + 60
        while !FileManager.default.fileExists(atPath: folder.appending(path: ".s.PGSQL.6432").path) {
            guard process.isRunning, Date() < end else {
                throw KithProcess.Failure(description: "PgBouncer does not start: apt-get install pgbouncer")
            }
            usleep(20_000)
        }
    }

    deinit {
        process.signal(SIGTERM)
        process.wait()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The URL at which a client of the pooler logs in as `user`.
    func url(as user: String) -> String {
        "postgresql://\(user)@/as_\(user)?host=\(folder.path)&port=6432"
    }
}

@Suite(.mayBlock) struct `A pooler that discards the role of sessions` {
    @Test func `stops the start of a server that logs in as another role`() async throws {
        let installation = try Installation()
        let pooler = try Pooler(before: installation.url)
        for (command, variable) in [
            (["serve"], "KITH_DATABASE_URL"), (["serve"], "KITH_READ_DATABASE_URL"),
            (["worker", "--once"], "KITH_DATABASE_URL"),
        ] {
            let refused = try KithProcess.run(
                command, environment: installation.environment.merging([variable: pooler.url(as: "postgres")]) { $1 })
            #expect(refused.status == 78)
            #expect(
                refused.errors.contains("sessions act as postgres and not as kith_"),
                "\(refused.errors)")
        }
        let (server, client) = try installation.serve(["KITH_DATABASE_URL": pooler.url(as: "kith_api")])
        defer { server.signal(SIGTERM) }
        #expect(try await client.send("GET", "/livez").status == 200)
    }
}
