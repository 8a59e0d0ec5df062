public import Foundation

/// The content of an app's first screen.
public struct Home: Codable, Sendable {
    /// The event up to which the answer is complete.
    public var lastEventID: String
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
        /// Requests for emergency access to the user's vaults, the most urgent first.
        public var emergencyRequests: [EmergencyRequest]
        /// People who have accepted and wait for the user's confirmation, oldest first.
        public var confirmations: [Confirmation]
        /// The connections that wait for the user's consent, oldest first.
        public var connections: [Connection]
        /// The first invitations and offers of vaults.
        public var invitations: Page<OwnInvitation>

        private enum CodingKeys: String, CodingKey {
            case confirmations, connections, invitations
            case emergencyRequests = "emergency_requests"
        }
    }

    /// A person who has accepted an invitation to a vault and waits for the owner's confirmation.
    public struct Confirmation: Codable, Sendable {
        /// The nominee to confirm or revoke.
        public var nomineeID: UUID
        /// The name that the owner gave the person in the invitation.
        public var name: String
        /// The person who has accepted.
        public var user: PersonName
        /// The access that the person will have.
        public var accessLevel: AccessLevel
        /// The vault.
        public var vault: OwnInvitation.Vault
        /// When the person accepted.
        public var updatedAt: Date

        private enum CodingKeys: String, CodingKey {
            case name, user, vault
            case nomineeID = "nominee_id"
            case accessLevel = "access_level"
            case updatedAt = "updated_at"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case me, sender, receiver, vaults, waiting
        case lastEventID = "last_event_id"
        case unreadCount = "unread_count"
        case unreadMessages = "unread_messages"
    }
}
