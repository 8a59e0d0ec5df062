/// Why a transfer got no answer.
public struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text for whoever gave the address. It contains neither the request's text, nor a secret, nor anything that
    /// the other side sent.
    public let description: String
    /// A detail that only an operator may see.
    public let detail: String?
    /// Whether another attempt cannot succeed, because the address is invalid.
    public let isFinal: Bool
    /// Whether this machine's own rules for addresses and certificates are the reason.
    let isOfOwnRules: Bool

    /// Creates an error.
    public init(_ description: String, isFinal: Bool = false, detail: String? = nil) {
        self.init(description, isFinal: isFinal, detail: detail, isOfOwnRules: false)
    }

    init(_ description: String, isFinal: Bool = false, detail: String? = nil, isOfOwnRules: Bool) {
        self.description = description
        self.detail = detail
        self.isFinal = isFinal
        self.isOfOwnRules = isOfOwnRules
    }
}

extension DeliveryError {
    /// Creates the delivery's error from that of its transfer.
    init(_ error: TransferError) {
        self.init(
            error.description, error.isFinal ? .final : .retry(), detail: error.detail,
            isOfOwnRules: error.isOfOwnRules)
    }
}
