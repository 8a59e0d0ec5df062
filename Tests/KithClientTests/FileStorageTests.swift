import Foundation
import Testing

@testable import KithClient

@Suite("A storage of files") struct FileStorageTests {
    private let storage = FileStorage.file(
        FileManager.default.temporaryDirectory.appending(path: "kith-storage-\(UUID().uuidString)/session"))

    @Test func `keeps items that only their owner can read`() throws {
        #expect(try storage.names() == [])
        #expect(try storage.read("session") == nil)
        try storage.write(Data("one".utf8), as: "session")
        try storage.write(Data("two".utf8), as: "check-in-1")
        try storage.write(Data("three".utf8), as: "check-in-1")
        #expect(try storage.read("check-in-1") == Data("three".utf8))
        #expect(try storage.names().sorted() == ["check-in-1", "session"])
        for path in [storage.url.path, storage.url.path + ".check-in-1"] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        try storage.remove("check-in-1")
        try storage.remove("check-in-1")
        #expect(try storage.names() == ["session"])
    }

    @Test func `does not take the draft of an interrupted write for an item`() throws {
        try storage.write(Data("one".utf8), as: "session")
        let (old, new) = (storage.url.path + ".check-in-1.7~", storage.url.path + ".check-in-2.8~")
        for draft in [old, new] { try Data("tw".utf8).write(to: URL(fileURLWithPath: draft)) }
        try FileManager.default.setAttributes([.modificationDate: Date() - 120], ofItemAtPath: old)
        #expect(try storage.names() == ["session"])
        // Another process may be writing the new one.
        #expect(!FileManager.default.fileExists(atPath: old) && FileManager.default.fileExists(atPath: new))
    }

    @Test func `has locks with one holder at a time, whoever else uses the same file`() throws {
        let other = FileStorage.file(storage.url)
        let held = try #require(try storage.lock("tokens"))
        #expect(try other.lock("tokens") == nil)
        #expect(try other.lock("items") != nil)
        held.unlock()
        held.unlock()
        let next = try #require(try other.lock("tokens"))
        #expect(try storage.lock("tokens") == nil)
        next.unlock()
        #expect(try storage.names() == [])
    }

    @Test func `says that another process is busy, and changes nothing meanwhile`() async throws {
        let (shared, held) = (SharedStorage(storage), try #require(try storage.lock("items")))
        #expect(throws: SharedStorage.IsBusy.self) { try shared.alone {} }
        held.unlock()
        try shared.alone {}
        let turn = try await shared.wait(for: .sending, upTo: 0)
        await #expect(throws: SharedStorage.IsBusy.self) { try await shared.wait(for: .sending, upTo: 0) }
        turn.unlock()
        _ = try await shared.wait(for: .sending, upTo: 0)
    }

    @Test func `says why it cannot write`() {
        let storage = FileStorage.file(URL(fileURLWithPath: "/proc/kith/session"))
        #expect(throws: (any Error).self) { try storage.write(Data(), as: "session") }
    }

    @Test func `a session of another server or tenant is none`() throws {
        let server = try #require(URL(string: "https://kith.example.com"))
        let credentials = Credentials(
            signIn: UUID(), userID: UUID(), accessToken: "a", refreshToken: "r", expiresAt: nil)
        try SessionKeeper(server: server, tenant: "acme", storage: storage, clock: { .now }).signIn(credentials)
        func kept(_ server: URL, _ tenant: String) -> Credentials? {
            SessionKeeper(server: server, tenant: tenant, storage: storage, clock: { .now }).credentials
        }
        #expect(kept(server, "acme") == credentials)
        #expect(kept(server, "globex") == nil)
        let elsewhere = try #require(URL(string: "https://elsewhere.example.com"))
        #expect(kept(elsewhere, "acme") == nil)
        #expect(try kept(#require(URL(string: "https://kith.example.com/")), "acme") == credentials)
        // The server has moved.
        let moved = SessionKeeper(
            server: elsewhere, tenant: "acme", formerly: [server], storage: storage, clock: { .now })
        #expect(moved.credentials == credentials)
        moved.keepDevice("device", of: credentials.signIn)
        #expect(kept(elsewhere, "acme") == credentials)
        #expect(kept(server, "acme") == nil)
    }
}
