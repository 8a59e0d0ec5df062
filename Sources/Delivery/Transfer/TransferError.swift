/// Why there is no answer.
public struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// For whoever gave the address: without the request's text, a secret, or anything that the other side said.
    public let description: String
    /// What only an operator may know beside it.
    public let detail: String?
    /// Whether trying again cannot help: the address is no address.
    public let isFinal: Bool

    /// A reason.
    public init(_ description: String, isFinal: Bool = false, detail: String? = nil) {
        self.description = description
        self.isFinal = isFinal
        self.detail = detail
    }
}

extension DeliveryError {
    /// What a transfer's failure means for the message.
    init(_ error: TransferError) {
        self.init(error.description, error.isFinal ? .final : .retry(), detail: error.detail)
    }
}
