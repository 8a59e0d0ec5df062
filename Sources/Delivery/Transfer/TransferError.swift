/// Why there is no answer.
public struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// For an operator: without the request's text, a secret, or anything that the other side said.
    public let description: String
    /// Whether trying again cannot help: the address is no address, or one that is not allowed.
    public let isFinal: Bool

    /// A reason.
    public init(_ description: String, isFinal: Bool = false) {
        self.description = description
        self.isFinal = isFinal
    }
}

extension DeliveryError {
    /// What a transfer's failure means for the message.
    init(_ error: TransferError) {
        self.init(error.description, error.isFinal ? .final : .retry())
    }
}
