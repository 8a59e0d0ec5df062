import ChildProcesses
import Counterparts
import Foundation
import Glibc
import Synchronization

/// A reverse proxy of Debian in front of a server, with its configuration of `deploy`.
///
/// `@unchecked Sendable`: everything is set in `init`.
final class ReverseProxy: @unchecked Sendable {
    /// The proxies that have a configuration.
    enum Kind: String, CaseIterable, Sendable {
        case nginx, haproxy, caddy
    }

    private let kind: Kind
    private let certificate: Certificate
    /// Nil until its configuration was checked.
    private var process: ChildProcess?
    private let folder = FileManager.default.temporaryDirectory.appending(path: "kith-proxy-\(UUID().uuidString)")
    /// The address that it listens on, which nothing else uses: a port of 127.0.0.1 could be taken before the proxy
    /// opens it.
    private let address: String
    /// The address of its clients.
    private let client: String
    /// Tells the proxies of this process apart.
    let number: Int
    private static let count = Mutex(0)
    private static let port = 8443

    /// Checks the configuration with the proxy's own command, starts the proxy, and waits until it answers.
    init(_ kind: Kind, before server: APIClient) throws {
        self.kind = kind
        certificate = try Certificate()
        number = Self.count.withLock { count in
            count += 1
            return count
        }
        let id = getpid()
        address = "127.\(70 + number).\(id >> 8 & 255).\(id & 255)"
        client = "127.0.80.\(number)"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = folder.appending(path: "configuration")
        try configure(before: server).write(to: configuration, atomically: true, encoding: .utf8)
        let environment = ["XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path]
        let commands = Self.commands(kind, configuration.path)
        let env = URL(filePath: "/usr/bin/env")
        let checked = try Tool.run(env, commands.check, environment: environment)
        guard checked.status == 0 else { throw KithProcess.Failure(description: checked.output) }

        let log = folder.appending(path: "log")
        let process = try ChildProcess(
            commands.run, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: .file(log.path))
        self.process = process
        Self.started.withLock { _ = $0.insert(process.processID) }
        _ = Self.endsWithTests
        let end = Date() + 120
        while try send("GET", "/livez").status != 200 {
            guard process.isRunning, Date() < end else {
                throw KithProcess.Failure(description: try String(contentsOf: log, encoding: .utf8))
            }
            usleep(50_000)
        }
    }

    deinit {
        if let process {
            Self.started.withLock { _ = $0.remove(process.processID) }
            process.kill()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The running proxies, which are killed when the tests exit.
    private static let started = Mutex<Set<pid_t>>([])
    private static let endsWithTests: Void = {
        atexit { ReverseProxy.started.withLock { for process in $0 { kill(process, SIGKILL) } } }
    }()

    /// The commands that check a configuration and run it, in one process, so that killing it leaves nothing behind.
    private static func commands(_ kind: Kind, _ path: String) -> (check: [String], run: [String]) {
        switch kind {
        case .nginx:
            let nginx = ["/usr/sbin/nginx", "-c", path]
            return (nginx + ["-t"], nginx + ["-g", "daemon off; master_process off;"])
        case .haproxy:
            let haproxy = ["/usr/sbin/haproxy", "-f", path]
            return (haproxy + ["-c"], haproxy + ["-db"])
        case .caddy:
            let options = ["--adapter", "caddyfile", "--config", path]
            return (["caddy", "validate"] + options, ["caddy", "run"] + options)
        }
    }

    /// The configuration with the addresses, certificate and paths of the test.
    private func configure(before server: APIClient) throws -> String {
        let name = [Kind.nginx: "nginx.conf", .haproxy: "haproxy.cfg", .caddy: "Caddyfile"][kind] ?? ""
        let file = Tool.tests.deletingLastPathComponent().appending(path: "deploy/\(name)")
        let upstream = "127.0.0.1:\(server.base.port ?? 0)"
        return try replacements().reduce(String(contentsOf: file, encoding: .utf8)) { text, replacement in
            guard text.contains(replacement.old) else {
                throw KithProcess.Failure(description: "\(name) does not contain \(replacement.old)")
            }
            return text.replacing(replacement.old, with: replacement.new)
        }.replacing("127.0.0.1:8080", with: upstream)
    }

    private func replacements() -> [(old: String, new: String)] {
        let both = certificate.pathWithKey
        switch kind {
        case .nginx:
            // Its default folders for temporary files are root's.
            let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder.path)/\($0);"
            }
            return [
                ("http {\n", "http {\n\(folders.joined(separator: "\n"))\n"),
                ("/run/nginx.pid", "\(folder.path)/pid"), ("/var/log/nginx/error.log", "\(folder.path)/errors"),
                ("/etc/kith/tls/fullchain.pem", both), ("/etc/kith/tls/privkey.pem", both),
                ("listen 80;", "listen \(address):8080;"), ("listen [::]:80;", ""),
                ("listen 443 ssl", "listen \(address):\(Self.port) ssl"), ("listen [::]:443 ssl http2;", ""),
            ]
        case .haproxy:
            return [
                ("    user haproxy\n    group haproxy\n", ""), ("/etc/kith/tls/both.pem", both),
                ("bind :::80 v4v6", "bind \(address):8080"), ("bind :::443 v4v6", "bind \(address):\(Self.port)"),
            ]
        case .caddy:
            return [
                ("\n{\n", "\n{\n\tadmin off\n\tauto_https disable_redirects\n"),
                (
                    "\nkith.example.com {\n",
                    "\nhttps://localhost:\(Self.port) {\n\tbind \(address)\n\ttls \(both) \(both)\n"
                ),
            ]
        }
    }

    /// The arguments of curl for a request to `path`.
    func curl(_ path: String, as credential: String? = nil) -> [String] {
        let target = "localhost:\(Self.port)"
        let authorization = credential.map { ["--header", "Authorization: Bearer \($0)"] } ?? []
        return [
            "curl", "--silent", "--show-error", "--max-time", "300", "--cacert", certificate.path, "--resolve",
            "\(target):\(address)", "https://\(target)\(path)",
        ] + authorization
    }

    /// Sends a request from the address of this proxy's clients, unless curl's `options` have another one. Uses the
    /// program curl, which is given the proxy's certificate and address.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, as credential: String? = nil,
        headers: [String: String] = [:], options: [String] = []
    ) throws -> APIClient.Answer {
        let content = body.map { ["--header", "Content-Type: application/json", "--data-binary", $0] } ?? []
        let fields = headers.flatMap { ["--header", "\($0.key): \($0.value)"] }
        let result = try Tool.run(
            URL(filePath: "/usr/bin/env"),
            curl(path, as: credential) + [
                "--interface", client, "--request", method, "--write-out", "\n%{http_code}",
            ] + content + fields + options)
        var lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let status = Int(lines.popLast() ?? "") ?? 0
        return APIClient.Answer(status: status, headers: [:], body: Data(lines.joined(separator: "\n").utf8))
    }
}
