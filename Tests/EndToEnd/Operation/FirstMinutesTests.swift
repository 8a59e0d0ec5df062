import Foundation
import Glibc
import TestThreads
import Testing

/// The commands of README.md, "The first minutes", and of the chapters "Try it" of docs/integrate.md, docs/alarms.md
/// and docs/inbound.md, each in one shell, as a newcomer pastes them. A comment below a command is what it prints.
@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `The first minutes of the README` {
    @Test func `print what the README says`() async throws {
        let steps = try PageStep.steps(in: "README.md", of: "The first minutes")
        #expect(steps.count >= 10, "the README has fewer commands than expected: \(steps)")
        try await Self.check(steps)
    }

    @Test func `lead to a text message and a missed day, as docs/integrate.md says`() async throws {
        // A check-in would be in the way.
        let people = try PageStep.steps(in: "README.md", of: "The first minutes").prefix {
            !$0.commands.contains("check-in")
        }
        let steps = try PageStep.steps(in: "docs/integrate.md", of: "Try it whole on your machine")
        #expect(steps.count >= 3, "the chapter has fewer commands than expected: \(steps)")
        let end = PageStep(commands: "kill $(jobs -p)", prints: [])
        // Another program may have the chapter's port.
        let port = try Self.freePort()
        try await Self.check(
            people + steps + [end], ["KITH_OUTBOUND_ALLOW": "127.0.0.0/8"], replacing: [("9099", String(port))])
    }

    @Test func `lead through an alarm and a desk, as docs/alarms.md says`() async throws {
        let people = try PageStep.steps(in: "README.md", of: "The first minutes").prefix {
            !$0.commands.contains("check-in")
        }
        let help = PageStep(commands: "call $DORA POST /v1/alarms '{}' > /dev/null", prints: [])
        let alarm = try PageStep.steps(in: "docs/alarms.md", of: "Try it")
        let desk = try PageStep.steps(in: "docs/alarms.md", of: "For the desk")
        #expect(
            alarm.count >= 10 && desk.count >= 2, "the chapters have fewer commands than expected: \(alarm) \(desk)")
        try await Self.check(Array(people) + alarm + [help] + desk)
    }

    @Test func `lead to an answer by text, as docs/inbound.md says`() async throws {
        let first = try PageStep.steps(in: "README.md", of: "The first minutes").prefix {
            !$0.commands.contains("token()")
        }
        let steps = try PageStep.steps(in: "docs/inbound.md", of: "Try it")
        #expect(steps.count >= 2, "the chapter has fewer commands than expected: \(steps)")
        try await Self.check(Array(first) + steps)
    }

    /// A port that nothing uses.
    private static func freePort() throws -> Int {
        try #require(try LoopbackListener { close($0) }.url.port)
    }

    /// Follows the steps beside `kith dev`.
    private static func check(
        _ steps: [PageStep], _ variables: [String: String] = [:], replacing texts: [(String, String)] = []
    ) async throws {
        let newcomer = try await Newcomer(dev: variables, replacing: texts)
        #expect(newcomer.greeting.contains("\n  http://\(newcomer.address)/\n"), "\(newcomer.greeting)")
        try await newcomer.follow(steps)
        try newcomer.leave()
    }
}
