public import Foundation

/// What a vault's owner and one of its nominees wrote to each other.
public struct Message: Codable, Sendable, Identifiable, Hashable {
    /// Ours; later ones sort later.
    public var id: UUID
    /// Who wrote it.
    public var from: PersonName
    /// The text.
    public var body: String
    /// When it was written.
    public var createdAt: Date
    /// When the other side read it.
    public var readAt: Date?

    /// A page of a conversation, newest first.
    public struct List: Codable, Sendable {
        /// The messages.
        public var items: [Message]
        /// What the next request passes as `cursor`; nil on the last page.
        public var nextCursor: String?
        /// How many messages to the one who asks nobody has read.
        public var unreadCount: Int

        private enum CodingKeys: String, CodingKey {
            case items
            case nextCursor = "next_cursor"
            case unreadCount = "unread_count"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, from, body
        case createdAt = "created_at"
        case readAt = "read_at"
    }
}
