public import Foundation

/// A refusal by the server, or the reason why no answer came.
public struct KithProblem: Error, Sendable, Hashable, Codable {
    /// The stable code of a problem (RFC 9457).
    public typealias Code = Kith.ProblemCode

    /// The invalid parts of a request.
    public struct FieldError: Codable, Sendable, Hashable {
        /// The field's path in the body, or the parameter's name.
        public let field: String
        /// The requirement that the field does not meet.
        public let message: String

        /// Names a field and what is wrong with it.
        package init(field: String, message: String) {
            self.field = field
            self.message = message
        }
    }

    /// The stable code. Base decisions on it.
    public let code: Code
    /// The HTTP status; nil if no answer came.
    public let status: Int?
    /// The text to show to a person.
    public let detail: String
    /// Whether another attempt can succeed.
    public let retryable: Bool
    /// How long to wait before another attempt, in seconds, if the server says so.
    public let retryAfter: TimeInterval?
    /// The id by which support finds the request in the logs.
    public let requestID: String?
    /// The invalid fields of a request that failed validation.
    public let errors: [FieldError]

    /// Creates a problem.
    package init(
        code: Code, status: Int?, detail: String, retryable: Bool, retryAfter: TimeInterval?, requestID: String?,
        errors: [FieldError]
    ) {
        self.code = code
        self.status = status
        self.detail = detail
        self.retryable = retryable
        self.retryAfter = retryAfter
        self.requestID = requestID
        self.errors = errors
    }
}
