import Foundation
import TestThreads
import Testing

/// The rehearsals themselves take minutes and are not part of the tests.
@Suite(.mayBlock) struct `deploy/rehearse` {
    @Test(arguments: [
        (
            [],
            "the following arguments are required: "
                + "restore|failover|upgrade|upgrade-postgres|cells|move|newcomer|package"
        ),
        (["disaster"], "invalid choice: 'disaster'"),
        (["restore", "--seconds", "2"], "--seconds: '2' is not a number of seconds from 3 to 86400"),
        (["restore", "--seconds", "-5"], "--seconds: '-5' is not a number of seconds"),
        (["move", "--senders", "0"], "--senders: '0' is not a number of senders from 1000 to 5000000"),
        (["failover", "--clients", "many"], "--clients: 'many' is not a number of clients from 1 to 500"),
        (["restore", "--second", "9"], "unrecognized arguments: --second"),
        (["newcomer", "--seconds", "20"], "unrecognized arguments: --seconds 20"),
        (["package", "--debian", "11"], "--debian: invalid choice: 11"),
        (["newcomer", "--kith", "/nowhere/kith"], "--kith: there is no program /nowhere/kith: make build"),
        (["restore", "now"], "unrecognized arguments: now"),
        (["restore", "--kith", "/nowhere/kith"], "--kith: there is no program /nowhere/kith: make build"),
        (
            ["upgrade", "--kith", "/bin/true", "--from-binary", "/nowhere/kith"],
            "--from-binary: there is no program /nowhere/kith"
        ),
        (
            ["upgrade", "--from", "HEAD", "--from-binary", "/bin/true"],
            "--from-binary: not allowed with argument --from"
        ),
    ])
    func `refuses a wrong argument in one line, with status 64`(arguments: [String], line: String) throws {
        let (status, output) = try Tool.run(Self.door, arguments)
        #expect(status == 64)
        #expect(
            output.contains(line) && output.hasPrefix("rehearse: ") && output.split(separator: "\n").count == 1,
            "\(output)")
    }

    @Test func `shows its options`() throws {
        for name in ["restore", "failover", "upgrade", "cells"] {
            let (status, output) = try Tool.run(Self.door, [name, "--help"])
            #expect(status == 0)
            #expect(output.contains("--seconds SECONDS") && output.contains("--report FILE"), "\(output)")
        }
        #expect(try Tool.run(Self.door, ["move", "--help"]).output.contains("--senders SENDERS"))
    }

    /// `deploy/rehearse upgrade --next` builds it, which takes minutes; here it is only tried whether it can be made.
    @Test func `makes a next release of this tree`() throws {
        let root = Tool.tests.deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-next-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for part in ["sql", "Sources"] {
            try FileManager.default.copyItem(at: root.appending(path: part), to: folder.appending(path: part))
        }
        let script = """
            from pathlib import Path; from rehearsals import next_release; next_release.make(Path('\(folder.path)'))
            """
        let (status, output) = try Tool.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-B", "-c", script], in: root.appending(path: "deploy"))
        #expect(status == 0, "\(output)")
        let checkIn = folder.appending(path: "sql/check_ins/api.check_in.sql")
        let text = try String(contentsOf: checkIn, encoding: .utf8)
        #expect(text.contains("function api.record_check_in(") && !text.contains("api.check_in("))
    }

    /// `deploy/rehearse newcomer` runs them, which takes minutes; here it is only tried whether it still finds them.
    @Test func `finds the newcomer's commands in the documents`() throws {
        let reader = Tool.tests.deletingLastPathComponent().appending(path: "deploy/rehearsals/commands.py")
        let script = "python3 -B \"$0\" >commands && cat commands && bash -n commands"
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-commands-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (status, output) = try Tool.run(URL(filePath: "/bin/sh"), ["-c", script, reader.path], in: folder)
        #expect(status == 0, "\(output)")
        for command in [
            "apt-get install", "systemctl start kith-migrate", "/v1/pings/check-in", "\"${target[@]}\" restore",
        ] {
            #expect(output.contains(command), "\(command)")
        }
    }

    private static let door = Tool.tests.deletingLastPathComponent().appending(path: "deploy/rehearse")
}

@Suite(.mayBlock) struct `The lint of migrations` {
    @Test func `accepts those beyond the baselines`() throws {
        let (status, output) = try Tool.run(Self.lint, [])
        #expect(status == 0, "\(output)")
    }

    /// Each example but one is named after the rule that it breaks.
    @Test func `finds statements that rewrite or lock a large table`() throws {
        let examples = try FileManager.default.contentsOfDirectory(
            at: Self.lint.deletingLastPathComponent().appending(path: "examples"), includingPropertiesForKeys: nil)
        #expect(examples.count == 7)
        for example in examples {
            let rule = example.deletingPathExtension().lastPathComponent
            let (status, output) = try Tool.run(Self.lint, [example.path])
            if rule == "add_column" {
                #expect(status == 0, "\(output)")
            } else {
                #expect(status == 1 && output.contains("warning: \(rule) "), "\(output)")
            }
        }
    }

    private static let lint = Tool.tests.appending(path: "Migrations/lint")
}
