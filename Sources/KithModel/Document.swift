public import Foundation

/// What a vault holds, without its content.
public struct Document: Codable, Sendable, Identifiable, Hashable {
    /// Ours.
    public var id: UUID
    /// The vault that it is in.
    public var vaultID: UUID
    /// Of the content, which has another with each replacement; in quotes it is the content's `ETag`.
    public var versionID: UUID
    /// One line, of at most 255 characters.
    public var name: String
    /// The media type, as it was sent.
    public var contentType: String
    /// How many bytes the content has.
    public var size: Int
    /// Of the content, in hexadecimal.
    public var sha256: String
    /// When it was added.
    public var createdAt: Date
    /// When it was last renamed, replaced, deleted or restored.
    public var updatedAt: Date
    /// When it was deleted; nil while it is not.
    public var deletedAt: Date?

    private enum CodingKeys: String, CodingKey {
        case id, name, size, sha256
        case vaultID = "vault_id"
        case versionID = "version_id"
        case contentType = "content_type"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
    }
}
