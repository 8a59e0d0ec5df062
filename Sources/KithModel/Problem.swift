/// A refusal of the API (RFC 9457).
public struct Problem: Codable, Sendable, Hashable, Error {
    /// The HTTP status.
    public var status: Int
    /// What to decide by.
    public var code: String
    /// What to show.
    public var detail: String
    /// Whether trying again can help.
    public var retryable: Bool
    /// What support needs to find the request in the logs.
    public var requestID: String
    /// Each field that is not valid.
    public var errors: [FieldError]?

    /// A field that is not valid.
    public struct FieldError: Codable, Sendable, Hashable {
        /// Its path in the body, or the parameter's name.
        public var field: String
        /// What it must be.
        public var message: String
    }

    private enum CodingKeys: String, CodingKey {
        case status, code, detail, retryable, errors
        case requestID = "request_id"
    }
}
