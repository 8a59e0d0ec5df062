public import Foundation

/// A problem document of the API (RFC 9457).
public struct Problem: Codable, Sendable, Hashable, Error {
    /// The URN of the code.
    public var type: String
    /// The name of the code, for developers.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The stable code. Base decisions on it.
    public var code: String
    /// The text to show to a person.
    public var detail: String
    /// Whether another attempt can succeed.
    public var retryable: Bool
    /// The id by which support finds the request in the logs.
    public var requestID: String
    /// When emergency access to the vault begins; nil except when it was entered too early.
    public var grantsAt: Date?
    /// The errors, one for each invalid field.
    public var errors: [FieldError]?

    /// The error of an invalid field.
    public struct FieldError: Codable, Sendable, Hashable {
        /// The field's path in the body, or the parameter's name.
        public var field: String
        /// The requirement that the field does not meet.
        public var message: String
    }

    private enum CodingKeys: String, CodingKey {
        case type, title, status, code, detail, retryable, errors
        case requestID = "request_id"
        case grantsAt = "grants_at"
    }
}
