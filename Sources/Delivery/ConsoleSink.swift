internal import Glibc

/// Prints messages on the standard output stream, for a developer who has no phone at hand.
public struct ConsoleSink: DeliveryChannel {
    /// A sink.
    public init() {}

    /// Prints `message` as one block; it has no other name afterwards.
    @discardableResult
    public func send(_ message: Message) async throws(DeliveryError) -> String? {
        let block = Self.block(message)
        // One write, so that it does not mix with what others print.
        guard block.withCString({ write(1, $0, strlen($0)) }) == block.utf8.count else {
            throw DeliveryError("the standard output stream takes nothing")
        }
        return nil
    }

    static func block(_ message: Message) -> String {
        var lines = ["\(message.channel) to \(message.address)"]
        if let subject = message.subject { lines.append(subject) }
        lines += message.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return "\n" + lines.map { "  | \($0)\n" }.joined() + "\n"
    }
}
