import Foundation
import TestThreads
import Testing

@Suite(.mayBlock, .serialized) struct `Completion and manual pages` {
    /// A shell that completes commands, asked for what it offers.
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    @Test(arguments: Shell.allCases)
    func `offer every command, subcommand and option`(_ shell: Shell) throws {
        let commands = try Self.kith("help").matches(of: /(?m)^  kith ([a-z]+)/).map { String($0.1) }
        #expect(commands.count > 10)
        #expect(try offers(shell, "").isSuperset(of: commands))
        #expect(try offers(shell, "te") == ["tenant"])
        #expect(try offers(shell, "tenant", "").isSuperset(of: ["create", "list", "set", "key", "channel"]))
        #expect(try offers(shell, "tenant", "key", "r") == ["rotate"])
        let options: Set = ["--name", "--scopes", "--expires", "--json", "--env-file", "--cell"]
        #expect(try offers(shell, "tenant", "key", "create", "acme", "--") == options)
        #expect(try offers(shell, "migrate", "--").isSuperset(of: ["--check", "--plan"]))
        // The value of an option is no subcommand.
        #expect(try offers(shell, "tenant", "--name", "list", "cr") == ["create"])
        #expect(try offers(shell, "tenant", "channel", "test", "acme", "apns", "x", "--environment", "") == ["sandbox"])
    }

    @Test(arguments: Shell.allCases)
    func `offer files where a file is due, and only there`(_ shell: Shell) throws {
        let files: Set = ["email.json"]
        #expect(try offers(shell, "tenant", "channel", "set", "acme", "email", "ema") == files)
        #expect(try offers(shell, "serve", "--env-file", "ema") == files)
        #expect(try offers(shell, "tenant", "channel", "list", "ema") == [])
        #expect(try offers(shell, "token", "--user", "ema") == [])
    }

    @Test func `pass the checks of man, and describe every command and variable`() throws {
        let commands = try page("kith")
        for line in try Self.kith("help").matches(of: /(?m)^  (kith [a-z]+)/) { #expect(commands.contains(line.1)) }
        #expect(commands.contains("kith tenant channel test SLUG CHANNEL ADDRESS [--environment sandbox]"))
        #expect(commands.contains("kith migrate [--check [--plan]]"))
        let variables = try page("kith.env")
        let readme = try String(
            contentsOf: Tool.tests.deletingLastPathComponent().appending(path: "deploy/README.md"), encoding: .utf8)
        let documented = Set(
            readme.matches(of: /(?m)^\| (`KITH_.*`) \|/).flatMap { $0.1.matches(of: /KITH_[A-Z_]+/) }.map(\.output))
        #expect(documented.count > 20)
        for name in documented { #expect(variables.contains(name), "kith.env(5) does not describe \(name)") }
    }

    /// What a manual page says, in lines of any length.
    private func page(_ name: String) throws -> String {
        let file = try Self.write(Self.kith("manual", name), "\(name).page")
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let shown = try DebianPackage.run(
            ["man", "--warnings", "--encoding=UTF-8", "--local-file", file.path],
            environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "400"])
        #expect(!shown.contains("warning:"), "\(shown)")
        return shown
    }

    /// What a shell offers for the last of `words`, in a folder that contains `email.json`.
    private func offers(_ shell: Shell, _ words: String...) throws -> Set<String> {
        let file = try Self.write(Self.kith("completion", shell.rawValue), "completion")
        let folder = file.deletingLastPathComponent()
        defer { try? FileManager.default.removeItem(at: folder) }
        try "{}".write(to: folder.appending(path: "email.json"), atomically: true, encoding: .utf8)
        let command =
            switch shell {
            case .bash:
                [
                    "bash", "--norc", "-c",
                    #". ./completion; COMP_WORDS=(kith "$@"); COMP_CWORD=$#; _kith; printf '%s\n' "${COMPREPLY[@]}""#,
                    "bash",
                ] + words
            case .zsh: ["zsh", "--no-rcs", "-c", Self.zsh, "zsh"] + words
            case .fish:
                ["fish", "--no-config", "-c", "source completion; complete -C (string join ' ' -- kith $argv)", "--"]
                    + words
            }
        let result = try Tool.run(URL(filePath: "/usr/bin/env"), command, in: folder)
        return Set(
            result.output.split(separator: "\n").map { line in String(line.prefix { $0 != "\t" }) }
                .filter { $0 != "completion" || words.last == "" })
    }

    /// zsh completes only in its line editor. Instead of the functions that add matches there, these print them.
    private static let zsh = #"""
        compdef() { : }
        _files() { print -l -- ${words[CURRENT]}*(N) }
        _describe() { local -a all=(${(P)2}); print -l -- ${(M)${all%%:*}:#${words[CURRENT]}*} }
        compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }
        words=(kith "$@"); CURRENT=$#words
        source ./completion; _kith
        """#

    private static func kith(_ arguments: String...) throws -> String {
        let result = try KithProcess.run(arguments, environment: [:])
        guard result.status == 0 else { throw KithProcess.Failure(description: result.errors) }
        return result.output
    }

    /// Writes a file into a folder of its own.
    private static func write(_ text: String, _ name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-completion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file
    }
}
