import Foundation
import TestThreads
import Testing

/// The program that compares what calls cost in two builds. Here both are the same, so only its result lines are
/// checked: no figure is.
@Suite(.mayBlock) struct `The cost of a change` {
    @Test func `is measured for each kind of call`() throws {
        let (status, output) = try Self.run(["--pairs", "1", "--senders", "500", KithProcess.executable.path])
        #expect(status == 0, "\(output)")
        let measured = output.split(separator: "\n").compactMap { line in
            line.hasPrefix("against ") ? line.split(separator: " ")[1] : nil
        }
        #expect(
            measured == [
                "generate", "announce", "plan-due", "claim", "finish", "check-in", "second-check-in", "plan-safe",
                "remind",
                "plan-reminder", "miss", "plan-missed", "list", "connections", "dashboard", "home", "me", "vaults",
                "connection-receiver", "connection-sender", "events", "event",
            ], "\(output)")
    }

    @Test func `is not measured over too few people`() throws {
        let (status, output) = try Self.run(["--senders", "499", KithProcess.executable.path])
        #expect(status == 2)
        #expect(output.contains("--senders must be at least 500"), "\(output)")
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let program = Tool.tests.appending(path: "Load/against")
        return try Tool.run(program, arguments, environment: ["KITH_BINARY": KithProcess.executable.path])
    }
}
