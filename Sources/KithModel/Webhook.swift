public import Foundation

/// An endpoint of a tenant's server that receives events.
public struct Webhook: Codable, Sendable, Identifiable {
    /// The status of an endpoint.
    public struct Status: OpenSet {
        /// The value in the API.
        public let rawValue: String

        /// Creates a status from its value.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Events are sent to the endpoint.
        public static let enabled = Status(rawValue: "enabled")
        /// The endpoint answered 410 Gone, or an operator disabled it.
        public static let disabled = Status(rawValue: "disabled")
    }

    /// The endpoint's id, for deleting it.
    public var id: UUID
    /// The URL that requests go to.
    public var url: String
    /// The types of events that the endpoint receives; empty for all.
    public var types: [String]
    /// The status.
    public var status: Status
    /// When the endpoint was added.
    public var createdAt: Date
    /// When the endpoint last accepted a request.
    public var lastSuccessAt: Date?
    /// How often the request that is due has failed.
    public var failedAttempts: Int
    /// Why the last attempt failed; nil if it did not.
    public var lastError: String?
    /// The secret that signs requests. Only the responses to adding the endpoint and to rotating its secret have it.
    public var secret: String?

    private enum CodingKeys: String, CodingKey {
        case id, url, types, status, secret
        case createdAt = "created_at"
        case lastSuccessAt = "last_success_at"
        case failedAttempts = "failed_attempts"
        case lastError = "last_error"
    }
}
