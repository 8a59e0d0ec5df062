import ChildProcesses
import Foundation
import KithClient
import TestThreads
import Testing

/// The program of docs/integrate.md, "Begin with the Swift library", built and run as an app developer does.
@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `The quick start of docs/integrate.md` {
    @Test func `signs in by a code, becomes a sender, checks in and follows events`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-quick-start-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let house = try SignInHouse()
        let program = try Self.program(for: house.client.base, in: folder)

        let keyboard = Pipe()
        func type(_ line: String) throws {
            try keyboard.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        }
        let screen = folder.appending(path: "screen")
        // By itself the program would keep its output until the buffer is full, since that is no terminal.
        let running = try ChildProcess(
            ["stdbuf", "-oL", program.path], input: .descriptor(keyboard.fileHandleForReading.fileDescriptor),
            output: .file(screen.path))
        defer { running.kill() }
        func wait<Output>(for pattern: Regex<Output>) async throws -> Regex<Output>.Match {
            let end = Date() + 120
            while true {
                let text = (try? String(contentsOf: screen, encoding: .utf8)) ?? ""
                if let match = text.firstMatch(of: pattern) { return match }
                guard Date() < end, running.isRunning else {
                    throw KithProcess.Failure(description: "the program did not print what it should: \(text)")
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        let number = SignInHouse.number()
        try type(number)
        try type(try await house.newCode(to: number, after: 0))
        let code = String(try await wait(for: /Receivers connect to you by the code ([0-9]{6})\n/).1)
        _ = try await wait(for: Regex("\n\(KithTexts.preferred().checkInReceived)\n"))
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: ".kith-quick-start").path))
        let bob = try await Person.join(house.installation.acme, as: "Bob", house.client)
        try await bob.becomeReceiver()
        let connection = try await bob.connect(code)
        _ = try await wait(for: Regex("\nLive: .*\(connection.id)"))
    }

    /// Compiles the program with the module that these tests were built with.
    private static func program(for server: URL, in folder: URL) throws -> URL {
        let text = try String(contentsOf: root.appending(path: "docs/integrate.md"), encoding: .utf8)
        let block = try #require(text.firstMatch(of: /\n```swift\n((?s).*?)\n```/)).1
        var source = String(block)
        // The home directory is that of the account, whatever HOME says.
        for (text, own) in [
            ("http://127.0.0.1:8080", server.absoluteString),
            ("URL.homeDirectory", "URL(filePath: \"\(folder.path)\")"),
        ] {
            #expect(source.contains(text), "the program does not name \(text)")
            source = source.replacing(text, with: own)
        }
        try source.write(to: folder.appending(path: "main.swift"), atomically: true, encoding: .utf8)
        let built = KithProcess.executable.deletingLastPathComponent()
        // The build leaves the objects of sources that have gone.
        let objects = try ["KithClient", "KithCalls", "KithCountries"].flatMap { module in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources/\(module)").path)
                .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
                .map { built.appending(path: "\(module).build/\(URL(filePath: $0).lastPathComponent).o").path }
        }
        let (status, output) = try Tool.run(
            URL(filePath: "/usr/bin/env"),
            ["swiftc", "-swift-version", "6", "-I", built.appending(path: "Modules").path, "main.swift", "-o", "app"]
                + objects, in: folder)
        guard status == 0 else { throw KithProcess.Failure(description: output) }
        return folder.appending(path: "app")
    }

    private static let root = Tool.tests.deletingLastPathComponent()
}
