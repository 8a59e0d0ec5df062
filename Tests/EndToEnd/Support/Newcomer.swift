import ChildProcesses
import Foundation
import Glibc
import Testing

/// Somebody who follows the pages of the documentation on their own machine: `kith dev`, and a shell that takes the
/// commands one step after the other.
final class Newcomer {
    /// The address at which `kith dev` listens.
    let address: String
    private let home: URL
    private let dev: KithProcess
    private let shell: ChildProcess
    private let input: FileHandle
    private let log: URL
    /// What the pages say, and what this machine has in its place.
    private let replacements: [(String, String)]
    private var replaced: Set<String> = []
    private var steps = 0

    /// Starts `kith dev` and the shell, with variables besides a folder and ports of their own. `texts` are replaced in
    /// the commands.
    init(
        dev variables: [String: String] = [:], shell environment: [String: String] = [:],
        replacing texts: [(String, String)] = []
    ) async throws {
        home = FileManager.default.temporaryDirectory.appending(path: "kith-newcomer-\(UUID().uuidString)")
        let own = [
            "KITH_HOME": home.path, "KITH_LISTEN": "127.0.0.1:0", "KITH_METRICS_LISTEN": "127.0.0.1:0",
        ]
        dev = try KithProcess(["dev"], environment: own.merging(variables) { $1 })
        let line = try dev.waitForLog("variable=KITH_LISTEN")
        address = String(try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1))
        while dev.isRunning, !dev.standardOutput.contains("Ctrl-C") { try await Task.sleep(for: .milliseconds(10)) }
        replacements =
            [
                ("$PWD/.build/release", KithProcess.executable.deletingLastPathComponent().path),
                ("http://127.0.0.1:8080", "http://\(address)"),
            ] + texts

        log = home.appending(path: "printed")
        let pipe = Pipe()
        input = pipe.fileHandleForWriting
        shell = try ChildProcess(
            ["/bin/bash"],
            environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KITH_") }
                .merging(["KITH_HOME": home.path]) { $1 }.merging(environment) { $1 },
            folder: home.path, input: .descriptor(pipe.fileHandleForReading.fileDescriptor), output: .file(log.path))
        try pipe.fileHandleForReading.close()
    }

    deinit {
        shell.kill()
        try? FileManager.default.removeItem(at: home)
    }

    /// What `kith dev` has printed.
    var greeting: String { dev.standardOutput }

    /// Does what a page says, and compares what each step prints.
    func follow(_ steps: some Sequence<PageStep>) async throws {
        for step in steps { step.check(try await type(step.commands)) }
    }

    /// Types commands into the shell, and waits for their end; what they print.
    @discardableResult
    func type(_ commands: String) async throws -> String {
        var commands = commands
        for (text, replacement) in replacements where commands.contains(text) {
            replaced.insert(text)
            commands = commands.replacing(text, with: replacement)
        }
        steps += 1
        let (before, end) = ("@@ step \(steps - 1)\n", "@@ step \(steps)\n")
        try input.write(contentsOf: Data("{\n\(commands)\n} 2>&1 < /dev/null\necho '@@ step \(steps)'\n".utf8))
        while shell.isRunning {
            let printed = try String(contentsOf: log, encoding: .utf8)
            if let range = printed.range(of: end) {
                let start = printed.range(of: before)?.upperBound ?? printed.startIndex
                return String(printed[start..<range.lowerBound])
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw KithProcess.Failure(description: "the shell has ended: \(try String(contentsOf: log, encoding: .utf8))")
    }

    /// Ends the shell, and `kith dev` by Ctrl-C.
    func leave() throws {
        try input.close()
        #expect(shell.wait() == 0)
        dev.signal(SIGINT)
        #expect(dev.wait() == 0, "\(dev.standardError)")
        for (text, _) in replacements {
            #expect(replaced.contains(text), "the commands do not name \(text)")
        }
    }
}
