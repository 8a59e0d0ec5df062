public import Foundation

/// What a user thinks of an invitation, a share or the app.
public struct Feedback: Codable, Sendable, Identifiable, Hashable {
    /// The feedback's id, ordered by time.
    public var id: UUID
    /// The topic.
    public var topic: Topic
    /// The rating, from 1, bad, to 5, good.
    public var rating: Int
    /// The text; nil if there is none.
    public var text: String?
    /// When it was given.
    public var createdAt: Date
    /// The user who wrote it.
    public var user: PersonName

    /// A topic of feedback.
    public struct Topic: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a topic from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// An invitation.
        public static let invitation = Topic(rawValue: "invitation")
        /// A share.
        public static let share = Topic(rawValue: "share")
        /// The app.
        public static let app = Topic(rawValue: "app")
    }

    private enum CodingKeys: String, CodingKey {
        case id, topic, rating, text, user
        case createdAt = "created_at"
    }
}
