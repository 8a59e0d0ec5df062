import Foundation

/// A program that a test runs to its end, such as those of the other folders of `Tests`.
enum Tool {
    /// Runs a program, and returns its status and all that it wrote.
    static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil
    ) throws -> (status: Int32, output: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "kith-tool-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: log) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
    }

    /// The folder `Tests`.
    static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
