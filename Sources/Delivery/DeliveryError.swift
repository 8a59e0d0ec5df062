/// Why a message was not taken, and what that means for the next attempt.
public struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What to do about it.
    public enum Kind: Sendable, Equatable {
        /// The failure passes, or somebody can mend it: try again, no sooner than the other side asks where it does.
        case retry(after: Duration? = nil)
        /// Trying this message again cannot help: it is too large, say, or there is no such address.
        case final
        /// The other side knows the device or the endpoint no longer: it is to be forgotten.
        case gone
    }

    /// For the tenant: without the message's text, its address, or a secret.
    public let description: String
    /// What only an operator may know beside it.
    public let detail: String?
    /// What to do about it.
    public let kind: Kind
    /// Whether the other side answered, and objects to this message alone: it says nothing of what else goes there.
    public let isOfMessage: Bool

    /// A reason; one that passes, and may hold for every message, unless the others say otherwise.
    public init(_ description: String, _ kind: Kind = .retry(), detail: String? = nil, isOfMessage: Bool = false) {
        self.description = description
        self.detail = detail
        self.kind = kind
        self.isOfMessage = isOfMessage
    }
}
