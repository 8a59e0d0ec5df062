/// A way out: something that takes a message to where its person is.
public protocol DeliveryChannel: Sendable {
    /// Sends `message`, and returns when the other side has taken it. Called on the worker's event loop, many at a time; must end
    /// by itself within half a minute, because after a minute another worker sends the message again.
    ///
    /// - Throws: ``DeliveryError`` when it was not taken.
    func send(_ message: Message) async throws(DeliveryError)
}

/// Why a message was not taken.
public struct DeliveryError: Error, CustomStringConvertible {
    /// For an operator: without the message's text.
    public let description: String
    /// Whether trying again cannot help: there is no such address, say.
    public let isFinal: Bool

    /// A reason.
    public init(_ description: String, isFinal: Bool = false) {
        self.description = description
        self.isFinal = isFinal
    }
}
