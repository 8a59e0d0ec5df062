import Foundation
import TestThreads
import Testing

/// Hypothesis makes random people do random things at random times, over a clock that jumps, and compares what
/// everybody sees with a small model of the product. The examples are the same in every run, so the test finds the same
/// everywhere.
@Suite(.mayBlock) struct `The model` {
    @Test func `agrees with the server about everything that people see`() throws {
        // Only the database: the machine calls the procedures as the server and the worker do, each at an instant of
        // its own.
        let installation = try Installation()
        var arguments = ["--examples", "20", "--steps", "25"]
        if let seconds = ProcessInfo.processInfo.environment["KITH_MODEL_SECONDS"] {
            let seed = ProcessInfo.processInfo.environment["KITH_MODEL_SEED"] ?? "1"
            arguments = ["--examples", "50", "--steps", "50", "--seed", seed, "--seconds", seconds, "--keep-going"]
        }
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Model/run"), arguments, environment: ["KITH_DATABASE_URL": installation.url])
        #expect(status == 0, "\(output)")
        #expect(output.contains("agree after"), "\(output)")
        if arguments.contains("--seconds") { print(output) }
    }
}

/// Random lives of senders and receivers, and the promises that nobody may see broken. The lives are the same in every
/// run.
@Suite(.mayBlock) struct `The promises to a family` {
    @Test func `are kept through every order of acts, outages and clocks`() throws {
        let installation = try Installation()
        var arguments = ["--lives", "8", "--acts", "50"]
        if let seconds = ProcessInfo.processInfo.environment["KITH_TRUTH_SECONDS"] {
            let seed = ProcessInfo.processInfo.environment["KITH_TRUTH_SEED"] ?? "1"
            arguments = ["--seed", seed, "--seconds", seconds, "--keep-going"]
        }
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Truth/run"), arguments, environment: ["KITH_DATABASE_URL": installation.url])
        #expect(status == 0, "\(output)")
        #expect(output.contains("kept after"), "\(output)")
        if arguments.contains("--seconds") { print(output) }
    }

    /// The judgement and the check-in come to the database at the same moment, on connections of their own.
    @Test func `are kept when a check-in races the judgement at the deadline`() throws {
        let installation = try Installation()
        let races = ProcessInfo.processInfo.environment["KITH_TRUTH_RACES"]
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Truth/run"), ["--races", races ?? "300"],
            environment: ["KITH_DATABASE_URL": installation.url])
        #expect(status == 0, "\(output)")
        #expect(output.contains("one result each"), "\(output)")
        if races != nil { print(output) }
    }

    /// An explorer that finds nothing proves nothing. This takes minutes, so it runs when asked for.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["KITH_TRUTH_BREAKS"] != nil))
    func `are seen to be broken when the rules are changed`() throws {
        let installation = try Installation()
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Truth/run"), ["--break", "all", "--lives", "60"],
            environment: ["KITH_DATABASE_URL": installation.url])
        #expect(status == 0, "\(output)")
        print(output)
    }
}

/// Each type of message with each kind of contacts, by day and by night, while providers fail and people act, compared
/// with what the product says of it.
@Suite(.mayBlock) struct `The matrix of messages` {
    @Test func `has in each cell what the product says`() throws {
        let installation = try Installation()
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Matrix/run"), [], environment: ["KITH_DATABASE_URL": installation.url])
        #expect(status == 0, "\(output)")
        #expect(output.contains("0 are not as the product says"), "\(output)")
    }

    /// A matrix that finds nothing proves nothing.
    @Test func `fails where a rule is changed`() throws {
        let installation = try Installation()
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Matrix/run"), ["--break", "all"],
            environment: ["KITH_DATABASE_URL": installation.url])
        #expect(status == 0, "\(output)")
    }
}
