/// The content of an app's first screen.
public struct Home: Codable, Sendable {
    /// The user's account.
    public var me: User
    /// The sender's side; nil for somebody who is no sender.
    public var sender: Sender?
    /// The receiver's side; nil for somebody who is no receiver.
    public var receiver: Receiver?
    /// The first vaults.
    public var vaults: Page<Vault>
    /// The number of unread notifications.
    public var unreadCount: Int
    /// The number of unread messages in all chats.
    public var unreadMessages: Int
    /// What waits for the user's answer.
    public var waiting: Waiting

    /// The side of a sender.
    public struct Sender: Codable, Sendable {
        /// The schedule and the code.
        public var profile: SenderProfile
        /// The current or upcoming break.
        public var `break`: Break?
        /// The first receivers, those who missed first.
        public var dashboard: Dashboard
    }

    /// The side of a receiver.
    public struct Receiver: Codable, Sendable {
        /// The subscription and the code.
        public var profile: ReceiverProfile
        /// The first senders, those who missed first.
        public var dashboard: Dashboard
    }

    /// What waits for a user's answer.
    public struct Waiting: Codable, Sendable {
        /// The connections that wait for the user's consent, oldest first.
        public var connections: [Connection]
        /// The first invitations and offers of vaults.
        public var invitations: Page<OwnInvitation>
    }

    private enum CodingKeys: String, CodingKey {
        case me, sender, receiver, vaults, waiting
        case unreadCount = "unread_count"
        case unreadMessages = "unread_messages"
    }
}
