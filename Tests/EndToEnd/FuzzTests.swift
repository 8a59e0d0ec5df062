import Foundation
import Testing

/// Lets schemathesis make requests from the document, valid ones and ones that are wrong in one place, as a user and as a tenant's
/// server, until a server answers what the document does not say: a fault of ours, an undocumented status, header or member, a
/// wrong request let through, a credential not asked for.
@Suite struct `The fuzzer` {
    @Test func `gets no answer out of a server that the document does not describe`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        var arguments = ["--phases", "examples,coverage,fuzzing", "--max-examples", "5"]
        if let seconds = ProcessInfo.processInfo.environment["KITH_FUZZ_SECONDS"] {
            arguments = ["--phases", "examples,coverage,fuzzing,stateful", "--max-time", seconds]
        }
        let (status, output) = try run(
            arguments, ["KITH_URL": client.base.absoluteString, "KITH_KEY": installation.acme.secretKey])
        #expect(status == 0, "\(output)")
        // All but the document itself, which it does not ask for twice, and the events, whose answer has no end.
        let operations = try await OpenAPI(client).operations.count - 2
        #expect(output.contains("Tested: \(operations)"), "\(output)")
        #expect(server.isRunning)
        #expect(!server.standardError.contains(" error "), "\(server.standardError)")
    }

    private func run(_ arguments: [String], _ environment: [String: String]) throws -> (Int32, output: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "kith-fuzz-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: log) }
        let process = Process()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/run")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
    }
}
