import Foundation
import TestThreads
import Testing

@testable import KithClient

extension Person {
    /// A client of this person's, as an app has it.
    func kith(at base: URL? = nil) async throws -> Kith {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-app-\(UUID().uuidString)")
        let kith = Kith(server: base ?? client.base, tenant: "acme", storage: .file(folder.appending(path: "session")))
        try await kith.signIn(token: token)
        return kith
    }
}

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `KithClient's stream of events` {
    /// Reads until an event that has a text.
    private static func next(_ text: String, _ events: inout KithEvents.Iterator) async throws -> KithEvent {
        while let event = try await events.next() {
            if String(decoding: try JSONEncoder().encode(event.content), as: UTF8.self).contains("\"\(text)\"") {
                return event
            }
        }
        throw KithProcess.Failure(description: "the stream ended")
    }

    @Test func `goes on when the server is killed and comes back, and begins after an earlier event`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let pair = try await Pair(installation.acme, client)
        // Without a position, the sequence begins when its first event is asked for.
        let start = try await pair.bob.listen().position()
        let bob = try await pair.bob.kith()
        var events = bob.events(after: start).makeAsyncIterator()
        try await pair.pause()
        let paused = try await Self.next("connection_paused", &events)
        guard case .notification = paused.content else { throw KithProcess.Failure(description: "\(paused)") }
        server.signal(SIGKILL)
        server.wait()
        let port = try #require(client.base.port)
        let (again, _) = try installation.serve(["KITH_LISTEN": "127.0.0.1:\(port)"])
        defer { again.signal(SIGTERM) }
        try await pair.resume()
        let resumed = try await Self.next("connection_resumed", &events)
        var others = bob.events(after: paused.id).makeAsyncIterator()
        #expect(try await Self.next("connection_resumed", &others) == resumed)
    }

    @Test func `starts anew after a position that no server knows`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client).kith()
        for position in ["nonsense", "1-1"] {
            var events = bob.events(after: position).makeAsyncIterator()
            #expect(try await events.next()?.isReset == true, "\(position)")
        }
    }

    @Test func `ends when the person signs out, also while it waits, and is cancelled while it waits`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client).kith()
        let waiting = Task {
            var events = bob.events().makeAsyncIterator()
            return try await events.next()
        }
        try await Task.sleep(for: .milliseconds(200))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        var events = bob.events().makeAsyncIterator()
        try bob.signOut()
        do {
            _ = try await events.next()
            Issue.record("the stream of somebody who is signed out goes on")
        } catch let problem as KithProblem {
            #expect(problem.code.rawValue == "unauthenticated")
        }
        #expect(try await events.next() == nil)
    }
}

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `KithClient's downloads` {
    @Test func `load a document into a file, go on with a part of it, and say when the vault is locked`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let vault: JSON = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        let id = try #require(vault["id"]?.string.flatMap { UUID(uuidString: $0) })
        #expect(try await alice.send("POST", "/v1/vaults/\(id.text)/open").status == 201)
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        let documents = try await alice.kith().vaults[id].documents
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Will.pdf")
        try content.write(to: file)
        let sent = Progress()
        let document = try await documents.upload(file: file, type: "application/pdf") { sent.take($0) }
        #expect(document.name == "Will.pdf")
        #expect(document.contentType == "application/pdf")
        #expect(sent.last == KithProgress(completed: 1_000_000, total: 1_000_000))
        for try await one in documents.all { #expect(one == document) }
        try FileManager.default.removeItem(at: file)
        try await documents.download(document.id, to: file, sha256: document.sha256)
        #expect(try Data(contentsOf: file) == content)

        // As a launch that was killed leaves it.
        let part = ".Will.pdf.\(document.versionID.text).kith-part"
        try content.prefix(600_000).write(to: folder.appending(path: part))
        let first = Progress()
        try await documents.download(document.id, to: file, sha256: document.sha256) { first.take($0) }
        #expect(first.first == KithProgress(completed: 600_000, total: 1_000_000))
        #expect(try Data(contentsOf: file) == content)

        #expect(try await alice.send("POST", "/v1/vaults/\(id.text)/lock").status == 200)
        do {
            try await documents.download(document.id, to: file)
            Issue.record("a locked vault gave a document")
        } catch let problem as KithProblem where problem.code == .vaultLocked {
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Will.pdf"])
    }
}

private final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [KithProgress] = []
    var first: KithProgress? { lock.withLock { all.first } }
    var last: KithProgress? { lock.withLock { all.last } }
    func take(_ progress: KithProgress) { lock.withLock { all.append(progress) } }
}
