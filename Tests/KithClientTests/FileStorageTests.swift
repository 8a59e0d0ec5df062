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
        try Data("tw".utf8).write(to: URL(fileURLWithPath: storage.url.path + ".check-in-1~"))
        #expect(try storage.names() == ["session"])
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
        #expect(try kept(#require(URL(string: "https://elsewhere.example.com")), "acme") == nil)
    }
}
