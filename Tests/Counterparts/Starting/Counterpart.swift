import ChildProcesses
import Foundation
import Glibc

/// A server of `Tests/Counterparts` that runs as long as this object lives. Its output, one JSON object per line, is
/// its log.
public final class Counterpart: Sendable {
    private let process: ChildProcess
    /// The server's standard input stream. It closes when the tests end, in whatever way, and the server ends with it.
    private let input: FileHandle
    private let folder: TemporaryFolder
    /// The port that it listens on, on 127.0.0.1.
    public let port: Int

    /// Starts `name`.py and waits until it listens.
    public init(_ name: String, _ arguments: [String]) throws {
        folder = try TemporaryFolder()
        let (output, errors) = (folder.url.appending(path: "log"), folder.url.appending(path: "errors"))
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "run")
        let pipe = Pipe()
        input = pipe.fileHandleForWriting
        process = try ChildProcess(
            [program.path, name] + arguments, input: .descriptor(pipe.fileHandleForReading.fileDescriptor),
            output: .file(output.path), errors: .file(errors.path))
        try pipe.fileHandleForReading.close()
        // The first counterpart waits until its packages are installed.
        let end = Date() + 300
        var found: Int?
        while found == nil && process.isRunning && Date() < end {
            found = try Self.lines(of: output).first?["port"] as? Int
            if found == nil { usleep(20_000) }
        }
        guard let found else {
            process.kill()
            let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw Failure(description: "\(name).py did not start: \(said)")
        }
        port = found
    }

    deinit {
        process.kill()
    }

    /// The lines that it has written so far, except the first.
    public var log: [[String: Any]] {
        get throws { try Array(Self.lines(of: folder.url.appending(path: "log")).dropFirst()) }
    }

    /// Waits until the log meets `condition`; the log.
    public func waits(
        seconds: Double = 60, until condition: ([[String: Any]]) -> Bool
    ) async throws -> [[String: Any]] {
        let end = Date() + seconds
        while Date() < end {
            let log = try log
            if condition(log) { return log }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(description: "the counterpart did not write the expected log; it wrote: \(try log)")
    }

    /// A counterpart's failure.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason, for the reader of the test.
        public let description: String

        /// Creates a failure with a reason.
        public init(description: String) {
            self.description = description
        }
    }

    /// The complete lines of a file; the last one may still be incomplete.
    private static func lines(of file: URL) throws -> [[String: Any]] {
        let whole = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast()
        return whole.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
}
