import ChildProcesses
import Foundation
import Glibc
import Synchronization

/// The real program, started as an operator starts it. Its output goes to files in a temporary folder.
final class KithProcess: Sendable {
    private let process: ChildProcess
    private let folder: URL

    /// The program that `swift build` put beside the tests.
    static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "kith")

    init(_ arguments: [String], environment: [String: String]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "kith-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process = try ChildProcess(
            [Self.executable.path] + arguments,
            environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KITH_") }
                .merging(environment) { $1 },
            output: .file(folder.appending(path: "out").path), errors: .file(folder.appending(path: "err").path))
        Self.started.withLock { [process] in _ = $0.insert(process.processID) }
        _ = Self.endsWithTests
    }

    /// The running processes, which are killed when the tests exit: an object that lives until then is never
    /// deinitialised.
    private static let started = Mutex<Set<pid_t>>([])
    private static let endsWithTests: Void = {
        atexit { KithProcess.started.withLock { for process in $0 { kill(process, SIGKILL) } } }
    }()

    deinit {
        Self.started.withLock { [process] in _ = $0.remove(process.processID) }
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String], environment: [String: String]
    ) throws -> (status: Int32, output: String, errors: String) {
        let command = try KithProcess(arguments, environment: environment)
        let status = command.wait()
        return (status, command.standardOutput, command.standardError)
    }

    var standardOutput: String { text("out") }
    var standardError: String { text("err") }
    var processID: pid_t { process.processID }
    var isRunning: Bool { process.isRunning }

    func signal(_ signal: Int32) {
        process.signal(signal)
    }

    /// Waits for the end; the exit status, or the negative number of the signal.
    @discardableResult
    func wait() -> Int32 {
        process.wait()
    }

    /// Waits until the program has written a line with `text` to its standard error stream; the line.
    func waitForLog(_ text: String, seconds: Double = 120) throws -> String {
        let end = Date() + seconds
        while Date() < end {
            if let line = standardError.split(separator: "\n").first(where: { $0.contains(text) }) {
                return String(line)
            }
            guard isRunning else { break }
            usleep(5000)
        }
        throw Failure(description: "kith did not write \(text); it wrote: \(standardError)")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }
}
