internal import Crypto
internal import Foundation
internal import HTTP
internal import Postgres

/// One content of a document, and the key with which its chunks are sealed.
struct DocumentVersion: Sendable {
    /// How many bytes of a content go into one chunk: what a transfer has in memory a few times, and the database in one value.
    static let chunkSize = 256 << 10
    /// The longest content, in bytes.
    static let maximumSize = 25 << 20

    let tenant: Int
    let vault: String
    let document: String
    let id: String
    let key: ContentKey

    /// The version that facts of the database describe, with the vault's wrapped key (base64).
    ///
    /// - Throws: ``Problem`` `unavailable` when the key does not open: this server has another master key than the one that sealed it,
    ///   which an operator can mend.
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

    /// The chunk at that position, from 0.
    func place(_ position: Int, isLast: Bool) -> ContentKey.Place {
        ContentKey.Place(
            tenant: tenant, vault: vault, document: document, version: id, position: position, isLast: isLast)
    }
}
