import Foundation
import TestThreads
import Testing

/// Two servers, two workers, PostgreSQL and the providers under load and random faults: processes killed and stopped,
/// networks cut, disks full, clocks wrong. A checker then holds every promise against the database and what the
/// providers saw.
@Suite(.mayBlock) struct `Chaos` {
    @Test func `breaks no promise`() throws {
        let (status, output) = try Self.run(["--seconds", "20", "--seed", "\(Self.seed)", "--pause", "0.8"])
        #expect(status == 0, "\(output)")
        #expect(output.contains(" 0 violations"), "\(output)")
    }

    @Test func `would notice every broken promise`() throws {
        let (status, output) = try Self.run(["--check-the-checker"])
        #expect(status == 0, "\(output)")
        #expect(output.contains("OK"), "\(output)")
    }

    @Test func `refuses a length that is none`() throws {
        let (status, output) = try Self.run(["--seconds", "soon"])
        #expect(status == 64)
        #expect(output.contains("must be a positive number of seconds"), "\(output)")
    }

    private static let seed = 407

    private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let program = Tool.tests.appending(path: "Chaos/run")
        return try Tool.run(program, arguments, environment: ["KITH_BINARY": KithProcess.executable.path])
    }
}
