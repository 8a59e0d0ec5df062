import ChildProcesses
import Foundation

/// A program that a test runs to its end, such as those of the other folders of `Tests`.
enum Tool {
    /// Runs a program, and returns its status and all that it wrote.
    static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil
    ) throws -> (status: Int32, output: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "kith-tool-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        let process = try ChildProcess(
            [executable.path] + arguments,
            environment: ProcessInfo.processInfo.environment.filter { $0.key != "KITH_TEST_CELLS" }
                .merging(environment) { $1 }, folder: folder?.path,
            output: .file(log.path))
        return (process.wait(), try String(contentsOf: log, encoding: .utf8))
    }

    /// The folder `Tests`.
    static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
