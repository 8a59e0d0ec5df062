/// A channel that takes a message to its recipient.
public protocol DeliveryChannel: Sendable {
    /// Sends `message`, and returns when the other side has accepted it. It is called on the worker's event loop, many
    /// times concurrently. It must end by itself within half a minute, because after a minute another worker sends the
    /// message again.
    ///
    /// - Returns: The id that the other side gave the message, if it gave one.
    /// - Throws: ``DeliveryError`` when the message was not accepted.
    @discardableResult
    func send(_ message: Message) async throws(DeliveryError) -> String?
}
