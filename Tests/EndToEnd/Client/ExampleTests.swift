import ChildProcesses
import Foundation
import TestThreads
import Testing

/// `kith-example`, as somebody runs it beside `kith dev`.
@Suite(.mayBlock) struct `The example app` {
    /// `kith dev`, and the people who use the example beside it.
    private final class House {
        private(set) var dev: KithProcess
        private(set) var url: String
        private let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "kith-example-\(UUID().uuidString)")
            (dev, url) = try Self.launch(in: folder, at: "127.0.0.1:0")
        }

        deinit {
            stop()
            try? FileManager.default.removeItem(at: folder)
        }

        private static func launch(in folder: URL, at address: String) throws -> (KithProcess, String) {
            let environment = [
                "KITH_HOME": folder.appending(path: "home").path, "KITH_LISTEN": address,
                "KITH_METRICS_LISTEN": "127.0.0.1:0",
            ]
            let dev = try KithProcess(["dev"], environment: environment)
            let line = try dev.waitForLog("variable=KITH_LISTEN")
            let url = "http://\(try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1))"
            try wait { dev.standardOutput.contains("Ctrl-C") }
            return (dev, url)
        }

        func stop() {
            dev.signal(SIGINT)
            dev.wait()
        }

        /// Starts the server again, at the same address.
        func restart() throws {
            (dev, url) = try Self.launch(in: folder, at: String(url.dropFirst("http://".count)))
        }

        /// The token that `kith dev` prints for somebody.
        func token(of name: String) throws -> String {
            let pattern = try Regex("\(name) +(\\S+)\n", as: (Substring, Substring).self)
            return String(try #require(dev.standardOutput.firstMatch(of: pattern)?.1))
        }

        /// A file of this test.
        func file(_ name: String) -> String { folder.appending(path: name).path }

        private func command(_ person: String, _ words: [String]) -> [String] {
            let program = KithProcess.executable.deletingLastPathComponent().appending(path: "kith-example").path
            return [program, "--session", file(person), "--server", url] + words
        }

        /// Runs a command of the example to its end; its status and all that it wrote.
        func run(_ person: String, _ words: String...) throws -> (status: Int32, output: String) {
            let command = command(person, words)
            return try Tool.run(URL(filePath: command[0]), Array(command.dropFirst()))
        }

        /// Starts a command that writes into a file.
        func start(
            _ person: String, _ words: String..., input: ChildProcess.Stream = .null, output: String
        ) throws -> ChildProcess {
            try ChildProcess(command(person, words), input: input, output: .file(file(output)))
        }

        func text(_ name: String) -> String { (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "" }

        /// Waits until something is true.
        static func wait(until condition: () -> Bool) throws {
            let end = Date() + 120
            while !condition() {
                guard Date() < end else {
                    throw KithProcess.Failure(description: "what the test waits for did not happen")
                }
                usleep(10_000)
            }
        }
    }

    @Test func `checks in, and shows it to a receiver while it happens`() throws {
        let house = try House()
        #expect(house.dev.standardOutput.contains("swift run kith-example --server "))
        #expect(try house.run("alice", "check-in").status == 77, "nobody is signed in")
        for person in ["Alice", "Bob"] {
            let signedIn = try house.run(person.lowercased(), "sign-in", "--token", house.token(of: person))
            #expect(signedIn == (0, "You are signed in.\n"))
        }
        #expect(try house.run("alice", "show").output.contains("  Bob receives your pings: "))
        let watching = try house.start("bob", "watch", output: "watch")
        defer { watching.kill() }
        try House.wait { house.text("watch").contains("Watching.") }
        let checkIn = try house.run("alice", "check-in", "Back from my walk")
        #expect(checkIn == (0, "The server has your check-in.\n"))
        try House.wait { house.text("watch").contains("Alice: Safe: checked in ") }
        #expect(house.text("watch").hasPrefix("  Alice sends you pings: "))
    }

    @Test func `signs somebody new in by a code, makes them a sender and connects them`() throws {
        let house = try House()
        #expect(mkfifo(house.file("keyboard"), 0o600) == 0)
        let keyboard = open(house.file("keyboard"), O_RDWR | O_CLOEXEC)
        let number = SignInHouse.number()
        let signIn = try house.start(
            "dora", "sign-in", number, input: .descriptor(keyboard), output: "sign-in")
        var code: String?
        try House.wait {
            let printed = house.dev.standardOutput.components(separatedBy: number).dropFirst().last
            code = printed?.firstMatch(of: /\b[0-9]{6}\b/).map { String($0.0) }
            return code != nil
        }
        let line = Array("\(try #require(code))\n".utf8)
        #expect(write(keyboard, line, line.count) == line.count)
        #expect(signIn.wait() == 0, "\(house.text("sign-in"))")
        close(keyboard)
        #expect(house.text("sign-in") == "The code sent to \(number): You are signed in.\n")

        #expect(try house.run("dora", "name", "Dora").output == "Others see you as Dora.\n")
        let sender = try house.run("dora", "become-sender", "09:00", "Europe/Berlin").output
        #expect(sender.hasPrefix("You are asked every day at 09:00, Europe/Berlin.\nReceivers connect by your code "))
        _ = try house.run("bob", "sign-in", "--token", house.token(of: "Bob"))
        let receiver = try house.run("bob", "become-receiver").output
        let bobs = String(try #require(receiver.firstMatch(of: /[0-9]{6}/)).0)
        #expect(try house.run("dora", "connect", bobs) == (0, "Connected to Bob.\n"))
        let wrong = try house.run("dora", "connect", bobs == "000000" ? "000001" : "000000")
        #expect(wrong == (1, "kith-example: Invalid code. Please check and try again.\n"))
        #expect(try house.run("bob", "show").output.contains("  Dora sends you pings: "))
    }

    @Test func `keeps a check-in without a server, and sends it after the next sign-in`() throws {
        let house = try House()
        let token = try house.token(of: "Alice")
        _ = try house.run("alice", "sign-in", "--token", token)
        house.stop()
        let checkIn = try house.start("alice", "check-in", output: "check-in")
        defer { checkIn.kill() }
        try House.wait { house.text("check-in").contains("Not sent yet.") }
        checkIn.kill()
        #expect(!house.text("check-in").contains("The server has"))
        let signedOut = try house.run("alice", "sign-out")
        #expect(signedOut.status == 0)
        #expect(signedOut.output.contains("Not sent until you sign in again: your check-in of "))
        #expect(try kept(of: "alice", house).count == 1)

        try house.restart()
        _ = try house.run("alice", "sign-in", "--token", token)
        #expect(try house.run("alice", "check-in").status == 0)
        #expect(try kept(of: "alice", house) == [], "the kept check-in was sent before the new one")
    }

    /// The check-ins of a person that wait. A command that ends while it writes leaves a draft ("~") behind, which a
    /// later one sweeps.
    private func kept(of person: String, _ house: House) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: house.file("")).filter {
            $0.hasPrefix("\(person).check-in-") && !$0.hasSuffix("~")
        }
    }

    @Test func `says how it is used`() throws {
        let program = KithProcess.executable.deletingLastPathComponent().appending(path: "kith-example")
        let help = try Tool.run(program, ["--help"])
        #expect(help.status == 0)
        for command in ["sign-in", "become-sender", "become-receiver", "connect", "check-in", "show", "watch"] {
            #expect(help.output.contains("\n  \(command) "), "\(command)")
        }
        for (words, reason) in [
            (["dance"], "There is no command dance."), (["connect"], "connect takes another number of words."),
            (["--server", "here", "show"], "--server takes a URL such as http://127.0.0.1:8080, not here."),
            (["show", "--session"], "--session needs a value."),
            (["become-sender", "9 o'clock"], "9 o'clock is no time such as 09:00."),
        ] {
            let (status, output) = try Tool.run(program, words)
            #expect(status == 64)
            #expect(output.hasPrefix("kith-example: \(reason) "), "\(output)")
        }
    }
}
