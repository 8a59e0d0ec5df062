public import Foundation

/// Something that a person was told.
public struct Notification: Codable, Sendable, Identifiable, Hashable {
    /// Ours; time-ordered.
    public var id: UUID
    /// What it is about, such as `ping_missed`.
    public var type: String
    /// For a person to read.
    public var title: String
    /// For a person to read, with the names of the moment when it was written.
    public var body: String
    /// When it was written.
    public var createdAt: Date
    /// When the person read it.
    public var readAt: Date?

    private enum CodingKeys: String, CodingKey {
        case id, type, title, body
        case createdAt = "created_at"
        case readAt = "read_at"
    }
}
