import Foundation
import Testing

@testable import KithClient

/// A phone has the wrong time, and its screens say what they would say with the right one.
@Suite(.timeLimit(.minutes(10))) @MainActor struct `A device with a wrong clock` {
    /// The seconds by which its clock is ahead.
    nonisolated static let offsets: [TimeInterval] = [-3 * 3600, 3 * 3600, -2 * 86400, 2 * 86400]

    /// What all screens say. They are made before anything is heard of the server, and loaded after it.
    private static func words(_ server: AnsweringServer) async throws -> [String] {
        var words: [String] = []
        // What is to come is still to come, or has just been.
        for ahead in [3600, -60.0] {
            let http = try #require(try server.launch().http)
            let values = MadeUpValues(now: server.now, ahead: ahead)
            let screens = try ScreenReading.all(Kith(caller: MadeUpCaller(http: http, values: values)), values)
            try await http.learnTime()
            for reading in screens {
                await reading.load()
                words += reading.words
            }
        }
        return words
    }

    @Test(arguments: offsets) func `shows on every screen what another one shows`(offset: TimeInterval) async throws {
        let right = try await Self.words(AnsweringServer())
        #expect(right.contains("VaultScreen: Locks in 12 minutes"))
        #expect(right.contains { $0.hasPrefix("DashboardScreen: Not known since ") })
        let server = AnsweringServer()
        server.setWall(by: offset)
        #expect(try await Self.words(server) == right)
    }

    @Test(arguments: offsets) func `counts down by the server's clock as soon as that is known`(
        offset: TimeInterval
    ) async throws {
        let server = AnsweringServer()
        server.setWall(by: offset)
        let (kith, values) = (try server.launch(), MadeUpValues(now: server.now, ahead: 3600))
        // An app shows the vault that it has kept before it asks the server.
        let screen = VaultScreen(kith, try values.make(Kith.Vault.self), texts: .english)
        try await kith.http?.learnTime()
        screen.tick()
        #expect(screen.timeLeft == "Locks in 12 minutes")
        #expect(screen.state.announcement == nil)
    }

    @Test func `shows every screen`() throws {
        let http = try #require(try AnsweringServer().launch().http)
        let values = MadeUpValues(now: Date(timeIntervalSince1970: 1_800_000_000), ahead: 3600)
        let names = try ScreenReading.all(Kith(caller: MadeUpCaller(http: http, values: values)), values).map(\.name)
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/KithClient/Screens")
        let code = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let all = code.matches(of: /public final class ([A-Za-z]+Screen)\b/).map { String($0.1) }
        #expect(names.sorted() == all.sorted())
    }

    #if os(Linux)
        /// Another process, whose wall clock is moved by `Tests/clock.c`, sees what reads that clock without asking the
        /// client.
        @Test func `shows what another one shows also where nobody asks the client for the time`() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "kith-clocks-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let library = folder.appending(path: "clock.so").path
            let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../clock.c").path
            try await run("/usr/bin/env", ["clang", "-shared", "-fPIC", "-o", library, source], [:])
            // The machine's own clock may be moved already, by `Tests/clocks`.
            let usual = ProcessInfo.processInfo.environment["CLOCK_OFFSET"].flatMap(Int.init) ?? 0
            let now = Date().timeIntervalSince1970.rounded()
            var readings: [[String]] = []
            for offset in [0] + Self.offsets {
                let file = folder.appending(path: "words\(offset)").path
                try await run(
                    CommandLine.arguments[0],
                    ["--testing-library", "swift-testing", "--filter", "shows its screens to another process"],
                    [
                        "LD_PRELOAD": library, "CLOCK_OFFSET": "\(usual + Int(offset))", "KITH_SCREENS": file,
                        "KITH_SCREENS_AT": "\(now)",
                    ])
                let lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
                let clock = try #require(lines.first.flatMap { TimeInterval($0) })
                #expect(abs(clock - now - offset) < 600, "the process has the clock of the test")
                readings.append(Array(lines.dropFirst()))
            }
            #expect(readings[0].contains("VaultScreen: Locks in 12 minutes"))
            for reading in readings.dropFirst() { #expect(reading == readings[0]) }
        }

        private func run(_ program: String, _ arguments: [String], _ environment: [String: String]) async throws {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardOutput = FileHandle.nullDevice
            let end = Promise<Int32>()
            process.terminationHandler = { end.resolve(.success($0.terminationStatus)) }
            try process.run()
            #expect(try await end.value() == 0)
        }

        private nonisolated static let file = ProcessInfo.processInfo.environment["KITH_SCREENS"]

        /// Runs only in a process that the test above has started.
        @Test(.enabled(if: file != nil)) func `shows its screens to another process`() async throws {
            let (file, now) = (try #require(Self.file), ProcessInfo.processInfo.environment["KITH_SCREENS_AT"])
            let server = AnsweringServer()
            server.setClocks(
                device: Date(), server: Date(timeIntervalSince1970: try #require(now.flatMap(Double.init))))
            let lines = ["\(Date().timeIntervalSince1970)"] + (try await Self.words(server))
            try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        }
    #endif
}
