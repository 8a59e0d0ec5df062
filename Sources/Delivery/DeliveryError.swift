/// Why a message was not accepted, and what that means for the next attempt.
public struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What to do about it.
    public enum Kind: Sendable, Equatable {
        /// The failure is temporary, or somebody can correct it. Try again, but not before the delay that the other
        /// side asked for.
        case retry(after: Duration? = nil)
        /// Another attempt cannot succeed, for example because the message is too large or the address does not exist.
        case final
        /// The other side no longer knows the device or the endpoint. Forget it.
        case gone
        /// The other side sends nothing to this number, because its owner has said STOP.
        case optedOut
    }

    /// The text that the tenant sees. It contains neither the message's text, nor its address, nor a secret.
    public let description: String
    /// A detail that only an operator may see.
    public let detail: String?
    /// What to do about it.
    public let kind: Kind
    /// Whether the other side answered and objects to this message alone. Such an error says nothing about other
    /// messages to the same destination.
    public let concernsMessageAlone: Bool
    /// Whether this machine refused to connect, because of its own rules for addresses and certificates. Such an error
    /// says nothing about the other side.
    public let isOfOwnRules: Bool

    /// Creates an error. By default it is temporary and may concern every message.
    public init(
        _ description: String, _ kind: Kind = .retry(), detail: String? = nil, concernsMessageAlone: Bool = false,
        isOfOwnRules: Bool = false
    ) {
        self.description = description
        self.detail = detail
        self.kind = kind
        self.concernsMessageAlone = concernsMessageAlone
        self.isOfOwnRules = isOfOwnRules
    }
}
