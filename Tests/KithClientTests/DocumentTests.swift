import Foundation
import Testing

@testable import KithClient

@Suite struct `The upload of a document` {
    @Test(arguments: [-1, 0, 1])
    func `refuses what is larger than a document before it sends anything`(more: Int) async throws {
        let server = PreparedServer()
        let vault = KithVault(kith: server.kith, id: UUID())
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-upload-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        // The file has holes, and takes no room on the disk.
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(KithDocuments.maximumSize + more))
        try handle.close()
        server.on("createDocument", refuse: "vault_locked", 423, "This vault is locked.")
        let problem = await #expect(throws: KithProblem.self) { try await vault.documents.upload(file: file) }
        #expect(problem?.code == (more > 0 ? .payloadTooLarge : .vaultLocked))
        #expect(server.calls == (more > 0 ? [] : ["createDocument"]))
        if more > 0 { #expect(problem?.detail == "A document's content has at most 25 MiB.") }
    }
}
