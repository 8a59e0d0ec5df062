import Foundation
import TestThreads
import Testing

/// schemathesis generates requests from the document, some valid and some with one mistake, as a user and as a tenant's
/// server. It fails on an answer that the document does not describe: a 5xx, an undocumented status, header or member,
/// an invalid request that is accepted, or a credential that is not required.
@Suite(.mayBlock) struct `The fuzzer` {
    @Test func `finds no answer that the document does not describe`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        var arguments = ["--phases", "examples,coverage,fuzzing", "--max-examples", "2"]
        if let seconds = ProcessInfo.processInfo.environment["KITH_FUZZ_SECONDS"] {
            arguments = ["--phases", "examples,coverage,fuzzing,stateful", "--max-time", seconds]
        }
        let (status, output) = try Tool.run(
            Tool.tests.appending(path: "Fuzz/run"), arguments,
            environment: ["KITH_URL": client.base.absoluteString, "KITH_KEY": installation.acme.secretKey])
        #expect(status == 0, "\(output)")
        // Every operation except the document itself, which is fetched only once, and the event stream, whose answer
        // has no end.
        let operations = try await OpenAPI(client).operations.count - 2
        #expect(output.contains("Tested: \(operations)"), "\(output)")
        #expect(server.isRunning)
        #expect(!server.standardError.contains(" error "), "\(server.standardError)")
    }
}
