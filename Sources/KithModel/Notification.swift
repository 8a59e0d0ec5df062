public import Foundation

/// A notification to a user.
public struct Notification: Codable, Sendable, Identifiable, Hashable {
    /// The notification's id, ordered by time.
    public var id: UUID
    /// The type, such as `ping_missed`.
    public var type: String
    /// The title, as text for a person.
    public var title: String
    /// The text for a person, with the names at the time of writing.
    public var body: String
    /// When the notification was written.
    public var createdAt: Date
    /// When the user read the notification.
    public var readAt: Date?

    private enum CodingKeys: String, CodingKey {
        case id, type, title, body
        case createdAt = "created_at"
        case readAt = "read_at"
    }
}
