public import Foundation

/// A message between a vault's owner and one of its nominees.
public struct Message: Codable, Sendable, Identifiable, Hashable {
    /// The message's id. Ids of later messages sort later.
    public var id: UUID
    /// The author.
    public var from: PersonName
    /// The text.
    public var body: String
    /// When the message was written.
    public var createdAt: Date
    /// When the other side read the message.
    public var readAt: Date?
    /// The vault's id. Only events have it.
    public var vaultID: UUID?
    /// The nominee's id. Only events have it.
    public var nomineeID: UUID?

    /// A page of a conversation, newest first.
    public struct List: Codable, Sendable {
        /// The messages.
        public var items: [Message]
        /// The `cursor` for the next request; nil on the last page.
        public var nextCursor: String?
        /// The number of unread messages to the user who asked.
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
        case vaultID = "vault_id"
        case nomineeID = "nominee_id"
    }
}
