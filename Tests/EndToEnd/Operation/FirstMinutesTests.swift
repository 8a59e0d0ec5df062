import Foundation
import Glibc
import TestThreads
import Testing

/// The commands of README.md, "The first minutes", and of the chapters "Try it" of docs/integrate.md, docs/alarms.md
/// and docs/inbound.md, each in one shell, as a newcomer pastes them. A comment below a command is what it prints.
@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `The first minutes of the README` {
    @Test func `print what the README says`() async throws {
        let steps = try Self.steps(in: "README.md", of: "The first minutes")
        #expect(steps.count >= 10, "the README has fewer commands than expected: \(steps)")
        try await Self.check(steps)
    }

    @Test func `lead to a text message and a missed day, as docs/integrate.md says`() async throws {
        // A check-in would be in the way.
        let people = try Self.steps(in: "README.md", of: "The first minutes").prefix {
            !$0.commands.contains("check-in")
        }
        let steps = try Self.steps(in: "docs/integrate.md", of: "Try it whole on your machine")
        #expect(steps.count >= 3, "the chapter has fewer commands than expected: \(steps)")
        let end = Step(commands: "kill $(jobs -p)", prints: [])
        // Another program may have the chapter's port.
        let port = try Self.freePort()
        try await Self.check(
            people + steps + [end], ["KITH_OUTBOUND_ALLOW": "127.0.0.0/8"], replacing: [("9099", String(port))])
    }

    @Test func `lead through an alarm and a desk, as docs/alarms.md says`() async throws {
        let people = try Self.steps(in: "README.md", of: "The first minutes").prefix {
            !$0.commands.contains("check-in")
        }
        let help = Step(commands: "call $DORA POST /v1/alarms '{}' > /dev/null", prints: [])
        let alarm = try Self.steps(in: "docs/alarms.md", of: "Try it")
        let desk = try Self.steps(in: "docs/alarms.md", of: "For the desk")
        #expect(
            alarm.count >= 10 && desk.count >= 2, "the chapters have fewer commands than expected: \(alarm) \(desk)")
        try await Self.check(Array(people) + alarm + [help] + desk)
    }

    @Test func `lead to an answer by text, as docs/inbound.md says`() async throws {
        let first = try Self.steps(in: "README.md", of: "The first minutes").prefix { !$0.commands.contains("token()") }
        let steps = try Self.steps(in: "docs/inbound.md", of: "Try it")
        #expect(steps.count >= 2, "the chapter has fewer commands than expected: \(steps)")
        try await Self.check(Array(first) + steps)
    }

    /// A port that nothing uses.
    private static func freePort() throws -> Int {
        try #require(try LoopbackListener { close($0) }.url.port)
    }

    /// Runs the commands beside `kith dev`, with texts replaced in them, and compares what each prints.
    private static func check(
        _ steps: [Step], _ more: [String: String] = [:], replacing texts: [(String, String)] = []
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "kith-readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let environment = [
            "KITH_HOME": home.path, "KITH_LISTEN": "127.0.0.1:0", "KITH_METRICS_LISTEN": "127.0.0.1:0",
        ].merging(more) { $1 }
        let dev = try KithProcess(["dev"], environment: environment)
        let line = try dev.waitForLog("variable=KITH_LISTEN")
        let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
        while !dev.standardOutput.contains("Ctrl-C") { try await Task.sleep(for: .milliseconds(10)) }
        #expect(dev.standardOutput.contains("\n  http://\(address)/\n"), "\(dev.standardOutput)")

        let mark = "@@ the next step"
        var script = steps.map { "{\n\($0.commands)\n} 2>&1\necho '\(mark)'\n" }.joined()
        let own = [
            ("$PWD/.build/release", KithProcess.executable.deletingLastPathComponent().path),
            ("http://127.0.0.1:8080", "http://\(address)"),
        ]
        for (text, replacement) in own + texts {
            #expect(script.contains(text), "the commands do not name \(text)")
            script = script.replacing(text, with: replacement)
        }
        let (status, output) = try Tool.run(
            URL(filePath: "/bin/bash"), ["-c", script], environment: ["KITH_HOME": home.path], in: home)
        dev.signal(SIGINT)
        #expect(dev.wait() == 0, "\(dev.standardError)")
        #expect(status == 0)
        let outputs = output.components(separatedBy: mark + "\n")
        #expect(outputs.count == steps.count + 1, "\(output)")
        for (step, printed) in zip(steps, outputs) {
            let lines = printed.split(separator: "\n")
            // Events may come in another order, so lines are found wherever they are.
            for expected in step.prints {
                #expect(lines.contains { matches(String($0), expected) }, "\(step.commands)\nprinted: \(printed)")
            }
        }
    }

    /// Commands, and the lines that they print.
    private struct Step {
        var commands: String
        var prints: [String]
    }

    private static func steps(in document: String, of title: String) throws -> [Step] {
        let text = try String(
            contentsOf: Tool.tests.deletingLastPathComponent().appending(path: document), encoding: .utf8)
        let chapter = try #require(
            text.replacing("\n### ", with: "\n## ").components(separatedBy: "\n## ").first { $0.hasPrefix(title) })
        var steps: [Step] = []
        for block in chapter.components(separatedBy: "```sh\n").dropFirst() {
            var begins = true
            for line in block.components(separatedBy: "```")[0].split(separator: "\n") {
                let isOutput = line.hasPrefix("# ") && !line.hasPrefix("# call ")
                if isOutput {
                    steps[steps.count - 1].prints.append(String(line.dropFirst(2)))
                } else if begins || !steps[steps.count - 1].prints.isEmpty {
                    steps.append(Step(commands: String(line), prints: []))
                } else {
                    steps[steps.count - 1].commands += "\n" + line
                }
                begins = false
            }
        }
        return steps
    }

    /// Whether a line is what the README says, in which `…` stands for anything.
    private static func matches(_ line: String, _ expected: String) -> Bool {
        let pattern = expected.components(separatedBy: "…").map(NSRegularExpression.escapedPattern).joined(
            separator: ".*")
        return line.range(of: "^\(pattern)$", options: .regularExpression) != nil
    }
}
