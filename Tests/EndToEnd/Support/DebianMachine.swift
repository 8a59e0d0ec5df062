import ChildProcesses
import Foundation
import Glibc
import Synchronization

/// A fresh Debian that systemd has booted in a container, with the network of this machine. Needs root, or `sudo`
/// without a password.
///
/// `@unchecked Sendable`: everything is set in `init`.
final class DebianMachine: @unchecked Sendable {
    private let process: ChildProcess
    /// The root of its file system.
    let root: URL
    /// The process that is its init.
    private var leader = ""

    /// Boots a Debian in which `packages` are installed, and waits until it is up. It sees `folder` as `/mnt`.
    init(with packages: [String], sharing folder: URL) throws {
        let image = try Self.image(packages)
        root = FileManager.default.temporaryDirectory.appending(path: "kith-machine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        _ = try DebianPackage.run(Self.sudo + ["tar", "--extract", "--file", image.path, "--directory", root.path])
        let log = FileManager.default.temporaryDirectory.appending(path: "\(root.lastPathComponent).log")
        defer { try? FileManager.default.removeItem(at: log) }
        // It must not depend on a systemd of this machine, which may have none.
        process = try ChildProcess(
            ["env", "--unset=LD_PRELOAD"] + Self.sudo + [
                "systemd-nspawn", "--boot", "--directory", root.path, "--register=no", "--keep-unit", "--console=pipe",
                "--bind-ro=\(folder.path):/mnt",
            ], output: .file(log.path))
        Self.started.withLock { [process] in _ = $0.insert(process.processID) }
        _ = Self.endsWithTests
        let end = Date() + 120
        while true {
            leader = Self.leader(of: process.processID) ?? ""
            if !leader.isEmpty, (try? run("systemctl", "is-system-running").hasPrefix("running")) == true { return }
            guard process.isRunning, Date() < end else {
                throw KithProcess.Failure(
                    description: "Debian does not boot: \(try String(contentsOf: log, encoding: .utf8))")
            }
            usleep(100_000)
        }
    }

    deinit {
        Self.started.withLock { [process] in _ = $0.remove(process.processID) }
        Self.end(process.processID)
        process.wait()
        _ = try? DebianPackage.run(Self.sudo + ["rm", "-rf", root.path])
    }

    /// Runs a program in it to its end.
    ///
    /// - Throws: `KithProcess.Failure` with its output if it fails.
    @discardableResult
    func run(_ arguments: String...) throws -> String {
        let path = [
            "env", "--ignore-environment", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
        ]
        return try DebianPackage.run(Self.sudo + ["nsenter", "--target", leader, "--all"] + path + arguments)
    }

    /// Writes a file as root, with `mode` in octal digits.
    func write(_ text: String, to path: String, group: String = "root", mode: String) throws {
        try run(
            "sh", "-c", #"printf %s "$1" >"$2" && chgrp "$3" "$2" && chmod "$4" "$2""#, "sh", text, path, group, mode)
    }

    /// The files of the package or its operator: all but what dpkg, systemd and logs keep.
    func files() throws -> Set<String> {
        let kept = ["/var/lib/dpkg", "/var/log", "/var/cache", "/var/lib/systemd", "/etc/.pwd.lock"]
        let found = try run("find", "/etc", "/usr", "/var", "/home", "/root", "/srv", "/opt", "-xdev")
        return Set(
            found.split(separator: "\n").map(String.init).filter { file in !kept.contains { file.hasPrefix($0) } })
    }

    /// The running containers, which are killed when the tests exit.
    private static let started = Mutex<Set<pid_t>>([])
    private static let endsWithTests: Void = {
        atexit { DebianMachine.started.withLock { for process in $0 { DebianMachine.end(process) } } }
    }()

    private static let sudo = geteuid() == 0 ? [] : ["sudo", "--non-interactive"]

    /// Kills a container with all its processes, which end with its init.
    private static func end(_ process: pid_t) {
        guard let leader = leader(of: process) else { return }
        _ = try? DebianPackage.run(sudo + ["kill", "-KILL", leader])
    }

    /// The init of the container that `process` started: the last in a line of only children.
    private static func leader(of process: pid_t) -> String? {
        let children = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        guard let child = children?.split(separator: " ").first.flatMap({ pid_t($0) }) else { return nil }
        let name = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
        return name == "systemd\n" ? "\(child)" : leader(of: child)
    }

    /// The image with these packages, which is made when it is missing from `.build`, from the sources of this
    /// machine's apt.
    private static func image(_ packages: [String]) throws -> URL {
        let names = (["systemd"] + packages).sorted()
        let folder = Tool.tests.deletingLastPathComponent().appending(path: ".build/debian")
        let image = folder.appending(path: "\(names.joined(separator: "+")).tar")
        guard !FileManager.default.fileExists(atPath: image.path) else { return image }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for old in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: old)
        }
        let format = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
        let lines = try DebianPackage.run([
            "apt-get", "indextargets", "--format", format, "Created-By: Packages", "Origin: Debian",
        ])
        let sources = folder.appending(path: "sources.list")
        try Set(lines.split(separator: "\n")).sorted().joined(separator: "\n").write(
            to: sources, atomically: true, encoding: .utf8)
        let unfinished = folder.appending(path: "unfinished.tar")
        _ = try DebianPackage.run(
            sudo + [
                "mmdebstrap", "--variant=apt", "--include=\(names.joined(separator: ","))", "bookworm", unfinished.path,
                sources.path,
            ])
        try FileManager.default.moveItem(at: unfinished, to: image)
        return image
    }
}
