/// A way out: something that takes a message to where its person is.
public protocol DeliveryChannel: Sendable {
    /// Sends `message`, and returns when the other side has taken it. Called on the worker's event loop, many at a time; must end
    /// by itself within half a minute, because after a minute another worker sends the message again.
    ///
    /// - Returns: What the other side calls the message, where it says so.
    /// - Throws: ``DeliveryError`` when it was not taken.
    @discardableResult
    func send(_ message: Message) async throws(DeliveryError) -> String?
}
