public import Foundation

/// A document in a vault, without its content.
public struct Document: Codable, Sendable, Identifiable, Hashable {
    /// The document's id.
    public var id: UUID
    /// The id of the vault that contains the document.
    public var vaultID: UUID
    /// The id of the content's version. Each replacement of the content has a new one. In quotes it is the content's
    /// `ETag`.
    public var versionID: UUID
    /// The name: one line of at most 255 characters.
    public var name: String
    /// The media type, as it was sent.
    public var contentType: String
    /// The size of the content in bytes.
    public var size: Int
    /// The SHA-256 of the content, in hexadecimal.
    public var sha256: String
    /// When the document was added.
    public var createdAt: Date
    /// The user who added the document.
    public var createdBy: PersonName
    /// When the document was last renamed, replaced, deleted or restored.
    public var updatedAt: Date
    /// The user who last changed the document.
    public var updatedBy: PersonName
    /// When the document was deleted; nil while it is not deleted.
    public var deletedAt: Date?
    /// The user who deleted the document; nil while it is not deleted.
    public var deletedBy: PersonName?

    private enum CodingKeys: String, CodingKey {
        case id, name, size, sha256
        case vaultID = "vault_id"
        case versionID = "version_id"
        case contentType = "content_type"
        case createdAt = "created_at"
        case createdBy = "created_by"
        case updatedAt = "updated_at"
        case updatedBy = "updated_by"
        case deletedAt = "deleted_at"
        case deletedBy = "deleted_by"
    }
}
