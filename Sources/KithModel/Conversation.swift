public import Foundation

/// The conversation of a vault's owner with one of its nominees, as one of the two sees it.
public struct Conversation: Codable, Sendable, Identifiable, Hashable {
    /// The id of the nominee who takes part.
    public var nomineeID: UUID
    /// The role in the vault of the user who asked.
    public var role: KithModel.Vault.Role
    /// The vault.
    public var vault: Vault
    /// The other side.
    public var counterpart: PersonName
    /// The number of unread messages to the user who asked.
    public var unreadCount: Int
    /// The newest of that user's messages that the other side has read.
    public var readUntil: UUID?
    /// The newest message.
    public var lastMessage: Message

    /// The id, which is the nominee's.
    public var id: UUID { nomineeID }

    /// A vault in which people write to each other.
    public struct Vault: Codable, Sendable, Identifiable, Hashable {
        /// The vault's id.
        public var id: UUID
        /// The vault's name.
        public var name: String
    }

    /// A page of a user's conversations, those with the newest messages first.
    public struct List: Codable, Sendable {
        /// The conversations.
        public var items: [Conversation]
        /// The `cursor` for the next request; nil on the last page.
        public var nextCursor: String?
        /// The number of unread messages in all conversations.
        public var unreadCount: Int

        private enum CodingKeys: String, CodingKey {
            case items
            case nextCursor = "next_cursor"
            case unreadCount = "unread_count"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case role, vault, counterpart
        case nomineeID = "nominee_id"
        case unreadCount = "unread_count"
        case readUntil = "read_until"
        case lastMessage = "last_message"
    }
}
