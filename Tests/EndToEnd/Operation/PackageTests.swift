import Foundation
import Glibc
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `The Debian package` {
    @Test func `has no fault that lintian knows`() throws {
        let package = try DebianPackage.built.get().current
        _ = try DebianPackage.run(["lintian", "--allow-root", "--fail-on", "error,warning", package.file.path])
    }

    @Test func `comes with checksums, and with a bill of all libraries that it needs or contains`() throws {
        let package = try DebianPackage.built.get().current
        let folder = package.file.deletingLastPathComponent()
        _ = try DebianPackage.run(["sh", "-c", "cd \"$0\" && sha256sum --strict --check SHA256SUMS", folder.path])
        let sums = try String(contentsOf: folder.appending(path: "SHA256SUMS"), encoding: .utf8)
        let bill = package.file.deletingPathExtension().appendingPathExtension("cdx.json")
        #expect(sums.contains(package.file.lastPathComponent) && sums.contains(bill.lastPathComponent), "\(sums)")

        struct Bill: Decodable {
            struct Component: Decodable { let name: String }
            let components: [Component]
        }
        let names = Set(try JSONDecoder().decode(Bill.self, from: Data(contentsOf: bill)).components.map(\.name))
        // dpkg-shlibdeps has found the libraries in its own way. libphonenumber8 has another name for each protobuf.
        let needed = try package.dependencies().filter { $0.hasPrefix("lib") || $0.hasPrefix("zlib") }
            .map { $0.replacing(/-protobuf\d+$/, with: "") }
        #expect(needed.contains("libssl3") && names.isSuperset(of: needed), "\(needed) \(names)")
        let contained = ["swift", "swift-foundation", "swift-corelibs-libdispatch", "swift-foundation-icu"]
        #expect(names.isSuperset(of: contained), "\(names)")

        let script = Tool.tests.deletingLastPathComponent().appending(path: "deploy/sbom").path
        let program = folder.appending(path: "kith").path
        let stripped = folder.appending(path: "stripped").path
        _ = try DebianPackage.run(["strip", "--output-file", stripped, program])
        let nameless = try Tool.run(URL(filePath: script), [stripped, package.file.path])
        #expect(nameless.status == 1)
        #expect(nameless.output == "deploy/sbom: \(stripped) has no symbols, which say what it contains\n")
    }

    @Test func `contains the configurations of the programs around it`() throws {
        let package = try DebianPackage.built.get().current
        let deploy = Tool.tests.deletingLastPathComponent().appending(path: "deploy")
        for file in [
            "prometheus/kith.rules.yml", "prometheus/kith.rules.test.yml", "prometheus/prometheus.yml",
            "prometheus/alertmanager.yml", "grafana/kith.json", "Caddyfile", "haproxy.cfg", "nginx.conf", "patroni.yml",
            "pgbackrest.conf",
        ] {
            let script = "dpkg-deb --fsys-tarfile \"$0\" | tar --extract --to-stdout \"./usr/share/kith/$1\""
            let packed = try DebianPackage.run(["sh", "-c", script, package.file.path, file])
            #expect(packed == (try String(contentsOf: deploy.appending(path: file), encoding: .utf8)), "\(file)")
        }
    }

    @Test func `is not made of what is no program`() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/package")
        #expect(try Tool.run(script, []).status == 64)
        #expect(try Tool.run(script, ["one", "two", "three", "four"]).status == 64)
        let missing = try Tool.run(script, ["/nowhere/kith", "/nowhere/packages"])
        #expect(missing.status == 66)
        #expect(missing.output == "deploy/package: /nowhere/kith is not a program: build it with make build\n")
        #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
        let stranger = FileManager.default.temporaryDirectory.appending(path: "kith-stranger-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: stranger) }
        try "#!/bin/sh\necho kith 0.1.0+ffffffffffff\n".write(to: stranger, atomically: true, encoding: .utf8)
        chmod(stranger.path, 0o755)
        let unknown = try Tool.run(script, [stranger.path, FileManager.default.temporaryDirectory.path])
        #expect(unknown.status == 65)
        #expect(unknown.output.contains("Git does not know ffffffffffff"), "\(unknown.output)")
    }

    @Test func `installs, serves, upgrades, and leaves nothing when purged`() async throws {
        let (current, previous) = try DebianPackage.built.get()
        let machine = try DebianMachine(with: current.dependencies(), sharing: current.file.deletingLastPathComponent())
        let before = try machine.files()
        try machine.install(previous)
        #expect(try machine.run("stat", "--format", "%U:%G %a", "/etc/kith/kith.env") == "root:kith 640\n")
        // Without the master key the servers do not start, and systemd does not try again.
        try machine.run("systemctl", "start", "kith-serve@1")
        try await machine.waits(
            for: "KITH_MASTER_KEY_FILE names a file that cannot be read", in: "_SYSTEMD_UNIT=kith-serve@1.service")
        #expect(throws: KithProcess.Failure.self) { try machine.run("systemctl", "is-active", "kith-serve@1") }

        let database = try Database()
        try machine.configure(database)
        try machine.run("systemctl", "start", "kith-migrate")
        try database.setPasswords()
        try machine.run("systemctl", "enable", "--now", "kith-serve@1", "kith-worker@1")
        let first = try await machine.client()
        #expect(try await first.send("GET", "/livez").status == 200)
        #expect(try await first.send("GET", "/readyz").status == 200)
        let units = ["kith-serve@1", "kith-worker@1", "kith-migrate"]
        for unit in units {
            #expect(try machine.run("systemd-analyze", "verify", "--man=no", "\(unit).service") == "")
            try machine.run("systemd-analyze", "security", "--threshold=20", "\(unit).service")
        }
        let made = try machine.run(
            "kith", "tenant", "create", "acme", "--name", "Acme", "--env-file", "/etc/kith/owner.env")
        #expect(made.contains("secret_key=kith_sk_"))

        // A migration that fails leaves the previous release running.
        let processes = try machine.processes()
        try machine.run("mv", "/etc/kith/owner.env", "/etc/kith/kept.env")
        try machine.write(
            "KITH_OWNER_DATABASE_URL=postgresql://nobody@127.0.0.1:1/none", to: "/etc/kith/owner.env", mode: "600")
        #expect(try machine.install(current).contains("the migration failed"))
        #expect(try machine.processes() == processes)
        try machine.run("mv", "/etc/kith/kept.env", "/etc/kith/owner.env")
        try machine.run("systemctl", "reset-failed")

        try machine.install(previous)
        let earlier = try machine.processes()
        try machine.install(current)
        #expect(try Set(machine.processes()).isDisjoint(with: earlier))
        #expect(try await machine.client().send("GET", "/readyz").status == 200)
        #expect(try machine.run("cat", "/etc/kith/kith.env").contains("127.0.0.1"))

        try machine.run("dpkg", "--remove", "kith")
        #expect(try machine.run("cat", "/etc/kith/kith.env").contains("127.0.0.1"))
        let purged = try machine.run("dpkg", "--purge", "kith")
        #expect(purged.contains("such as the master key"))
        let own = ["/etc/kith", "/etc/kith/master.key", "/etc/kith/owner.env", "/etc/kith/serve-1.env"]
        #expect(try machine.files().subtracting(before).sorted() == own)
        #expect(try machine.run("stat", "--format", "%U:%G %a", "/etc/kith/master.key") == "root:root 640\n")
        #expect(throws: KithProcess.Failure.self) { try machine.run("getent", "passwd", "kith") }
        #expect(throws: KithProcess.Failure.self) { try machine.run("getent", "group", "kith") }
        #expect(try database.session().query("select slug from kith.tenants").string(0, 0) == "acme")
    }
}

/// A PostgreSQL that the machine reaches over TCP, and an empty database.
private struct Database {
    private let postgres: EphemeralPostgres
    private let owner: String
    private let port = 30_000 + Int(getpid()) % 2_700
    private static let password = "kith-test"

    init() throws {
        var settings = LocalPostgresSettings()
        settings.loopbackPort = port
        postgres = try EphemeralPostgres(settings: settings)
        owner = try postgres.createDatabase("kith")
        try session().execute("alter role postgres password '\(Self.password)'")
    }

    /// Gives the roles that the migration made their passwords.
    func setPasswords() throws {
        for role in ["kith_api", "kith_worker"] {
            try session().execute("alter role \(role) password '\(Self.password)'")
        }
    }

    func session() throws -> PostgresSession { try PostgresSession(url: owner) }

    /// The URL for `role` on the machine.
    func url(_ role: String) -> String { "postgresql://\(role):\(Self.password)@127.0.0.1:\(port)/kith" }
}

extension DebianMachine {
    @discardableResult
    fileprivate func install(_ package: DebianPackage) throws -> String {
        // Nothing needs to be on a disk when dpkg ends.
        try run("dpkg", "--force-unsafe-io", "--install", "/mnt/\(package.file.lastPathComponent)")
    }

    /// Configures the installed package as deploy/README.md says.
    fileprivate func configure(_ database: Database) throws {
        let key = "KITH_MASTER_KEY_FILE=/etc/kith/master.key\n"
        try write(String(repeating: "5a", count: 32), to: "/etc/kith/master.key", group: "kith", mode: "640")
        try write(
            "KITH_DATABASE_URL=\(database.url("kith_api"))\nKITH_WORKER_DATABASE_URL=\(database.url("kith_worker"))\n"
                + key,
            to: "/etc/kith/kith.env", group: "kith", mode: "640")
        try write("KITH_OWNER_DATABASE_URL=\(database.url("postgres"))\n" + key, to: "/etc/kith/owner.env", mode: "600")
        try write(
            "KITH_LISTEN=127.0.0.1:0\nKITH_METRICS_LISTEN=127.0.0.1:0\n", to: "/etc/kith/serve-1.env", mode: "644")
    }

    /// Waits until a line of the journal's entries that `match` (journalctl(1)) contains `text`, and returns the line.
    @discardableResult
    fileprivate func waits(for text: String, in match: String) async throws -> String {
        let end = Date() + 120
        while true {
            let log = try run("journalctl", "--output", "cat", "--no-pager", match)
            if let line = log.split(separator: "\n").last(where: { $0.contains(text) }) { return String(line) }
            guard Date() < end else { throw KithProcess.Failure(description: "\(match) did not log \(text): \(log)") }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// A client of the instance's newest process.
    fileprivate func client() async throws -> APIClient {
        let line = try await waits(for: "variable=KITH_LISTEN", in: "_PID=\(processes()[0])")
        let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
        return APIClient(base: try #require(URL(string: "http://\(address)")))
    }

    /// The processes of the server and the worker.
    fileprivate func processes() throws -> [String] {
        try ["kith-serve@1", "kith-worker@1"].map {
            try run("systemctl", "show", "--property", "MainPID", "--value", $0).trimmingCharacters(in: .newlines)
        }
    }
}
