import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

/// Makes every call of the API with KithClient or KithServer against the real server, as its example in the description
/// shows.
/// docs/calls.md has the table.
@Suite(.mayBlock) struct `The calls of the libraries` {
    /// A client of the person with that token.
    private func kith(token: String, of server: URL) async throws -> Kith {
        let kith = Kith(server: server, tenant: "acme", storage: .file(Self.newFile()))
        try await kith.signIn(token: token)
        return kith
    }

    private static func newFile() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "kith-calls-\(UUID().uuidString)/file")
    }

    @Test func `reach the server from every operation of the description, and read its answer`() async throws {
        // Some operations change the tenant, so the installation is this test's own.
        let house = try SignInHouse()
        let api = try await OpenAPI(house.client)
        #expect(api.operations.count > 150)
        for operation in api.operations where !operation.isForBrowsersOrThings {
            let stage = try await DocumentedStage(house, api)
            let call = try await stage.call(operation)
            do {
                #expect(try await makers(of: call, at: house.client.base) == 1, "\(operation.id)")
            } catch let problem as KithProblem where problem.code == .notFound {
                #expect(operation.id == LibraryCall.underOtherHost, "\(problem)")
            } catch {
                Issue.record(error, "\(operation.id)")
            }
        }
    }

    /// Makes a call with each function that the libraries have for it; their number.
    private func makers(of call: DocumentedCall, at server: URL) async throws -> Int {
        let tenant = KithServer(server: server, tenant: "acme", secretKey: call.credential ?? "")
        if try await LibraryCall.make(call, by: tenant) { return 1 }
        let kith = Kith(server: server, tenant: "acme", storage: .file(Self.newFile()))
        if let token = call.credential { try await kith.signIn(token: token) }
        let isMade = try await LibraryCall.make(call, by: kith.api)
        return try await (isMade ? 1 : 0) + (LibraryCall.makeByHand(call, by: kith, of: server) ? 1 : 0)
    }

    @Test func `load the history of a vault and what Kith holds about a person into files`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let kith = try await kith(token: alice.token, of: client.base)
        let vault = try await kith.api.createVault(.init(name: "Family papers"))
        let file = Self.newFile()
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }

        let first = try await kith.vaults[vault.id].history.first { _ in true }
        #expect(first?.action == .vaultCreated)
        try await kith.vaults[vault.id].exportHistory(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("vault.created"))
        try await kith.exportAccount(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("Family papers"))
    }
}

extension OpenAPI.Operation {
    /// Whether it is a page that a browser shows, or takes a form, as pages, providers and things send. The libraries
    /// have no calls for these.
    fileprivate var isForBrowsersOrThings: Bool {
        if body?.type == "application/x-www-form-urlencoded" { return true }
        let types = responses.filter { $0.key.hasPrefix("2") }.flatMap { $0.value["content"]?.object.keys ?? [:].keys }
        return ["text/html", "text/plain", "application/atom+xml"].contains { types.contains($0) }
    }
}
