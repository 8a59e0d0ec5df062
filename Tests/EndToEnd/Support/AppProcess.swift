import ChildProcesses
import Foundation
import Glibc

@testable import KithClient

/// One of the processes of an app on KithClient, which share a storage. A test tells it what to do
/// (`Tests/ClientProcess/CommandLoop.swift`).
final class AppProcess: Sendable {
    private let process: ChildProcess
    private let input: Int32
    private let output: String

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - server: The server's address for this process.
    ///   - formerly: Those that other processes use.
    ///   - storage: What the processes share.
    ///   - step: The step of the storage at which the process is killed; nil for none.
    /// - Throws: An error of the system, if it cannot be started.
    init(_ server: URL, formerly: [URL] = [], storage: FileStorage, killAt step: Int? = nil) throws {
        var ends: [Int32] = [0, 0]
        // A socket, because writing to a pipe that nobody reads ends this process.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw KithProcess.Failure(description: "socketpair: \(String(cString: strerror(errno)))")
        }
        defer { close(ends[0]) }
        output = FileManager.default.temporaryDirectory.appending(path: "kith-app-\(UUID().uuidString)").path
        input = ends[1]
        var environment = ProcessInfo.processInfo.environment
        environment["KITH_TEST_KILL_AT"] = step.map(String.init)
        let program = KithProcess.executable.deletingLastPathComponent().appending(path: "ClientProcess").path
        process = try ChildProcess(
            [program, "serve", server.absoluteString, storage.url.path] + formerly.map(\.absoluteString),
            environment: environment, input: .descriptor(ends[0]), output: .file(output))
    }

    deinit {
        close(input)
        process.kill()
        unlink(output)
    }

    var isRunning: Bool { process.isRunning }

    /// The lines so far.
    var lines: [String] {
        ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Tells it to do something. A process that is killed takes nothing more.
    func tell(_ command: String) {
        let line = "\(command)\n"
        _ = send(input, line, line.utf8.count, Int32(MSG_NOSIGNAL))
    }

    /// Tells it to do something, and waits for the next line that begins as given; nil if the process ends before.
    func ask(_ command: String, answer: String) async throws -> String? {
        let before = lines.count
        tell(command)
        return try await line(answer, after: before)
    }

    /// Waits for a line that begins so, after the first `count`; nil if the process ends before.
    func line(_ beginning: String, after count: Int = 0) async throws -> String? {
        while true {
            let isRunning = isRunning
            if let line = lines.dropFirst(count).first(where: { $0.hasPrefix(beginning) }) { return line }
            guard isRunning else { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Kills it, if it runs.
    func kill() { process.kill() }

    /// Stops it, as a system that suspends a process does.
    func suspend() { process.signal(SIGSTOP) }
}
