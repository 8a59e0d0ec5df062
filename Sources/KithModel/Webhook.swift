public import Foundation

/// Where a tenant's server hears of events.
public struct Webhook: Codable, Sendable, Identifiable {
    /// Whether events are sent to it.
    public struct Status: OpenSet {
        /// The text of the API.
        public let rawValue: String

        /// A status from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Events are sent.
        public static let enabled = Status(rawValue: "enabled")
        /// It has answered 410 Gone, or an operator has ended it.
        public static let disabled = Status(rawValue: "disabled")
    }

    /// The endpoint's id, by which it is deleted.
    public var id: UUID
    /// Where requests go.
    public var url: String
    /// Which types of events it takes; empty for all.
    public var types: [String]
    /// Whether events are sent to it.
    public var status: Status
    /// When it was added.
    public var createdAt: Date
    /// When it last took a request.
    public var lastSuccessAt: Date?
    /// How often the request that it is to take next has failed.
    public var failedAttempts: Int
    /// Why the last one failed; nil when it did not.
    public var lastError: String?
    /// What requests are signed with; only from adding it and from giving it a new one.
    public var secret: String?

    private enum CodingKeys: String, CodingKey {
        case id, url, types, status, secret
        case createdAt = "created_at"
        case lastSuccessAt = "last_success_at"
        case failedAttempts = "failed_attempts"
        case lastError = "last_error"
    }
}
