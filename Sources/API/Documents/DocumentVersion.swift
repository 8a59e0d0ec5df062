internal import Crypto
internal import Foundation
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// A version of a document's content, and the key that seals its chunks.
struct DocumentVersion: Sendable {
    /// The size of a chunk in bytes. A transfer holds a few chunks in memory, and the database stores each as one
    /// value.
    static let chunkSize = 256 << 10
    /// The largest content, in bytes.
    static let maximumSize = 25 << 20

    let tenant: Int
    let vault: String
    let document: String
    let id: String
    let key: ContentKey

    /// The version described by `facts` from the database, with the vault's wrapped key (base64).
    ///
    /// - Throws: ``Problem`` `unavailable` if the key does not open, because another master key sealed it. An operator
    ///   can configure that key.
    init(_ facts: JSONDocument, key: String, of caller: Caller, with masterKey: MasterKey) throws(Problem) {
        guard let vault = facts.root["vault_id"]?.string, let document = facts.root["document_id"]?.string,
            let id = facts.root["version_id"]?.string, let wrapped = Data(base64Encoded: key)
        else { throw Problem(fault: "a version without its ids or key") }
        tenant = caller.tenantID
        self.vault = vault
        self.document = document
        self.id = id
        do throws(CryptoError) {
            self.key = try ContentKey(
                wrapped: Array(wrapped), tenant: caller.tenantID, vault: vault, with: masterKey)
        } catch {
            throw Problem(.unavailable, "The server's master key does not open this vault's key.")
        }
    }

    /// The sealing place of the chunk at `position`, counted from 0.
    func place(_ position: Int, isLast: Bool) -> ContentKey.Place {
        ContentKey.Place(
            tenant: tenant, vault: vault, document: document, version: id, position: position, isLast: isLast)
    }
}
