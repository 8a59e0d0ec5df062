internal import Glibc

/// Prints messages on standard output, for a developer without a phone at hand.
public struct ConsoleSink: DeliveryChannel {
    /// Creates a sink.
    public init() {}

    /// Prints `message` as one block. Returns nil, because the message gets no id here.
    @discardableResult
    public func send(_ message: Message) async throws(DeliveryError) -> String? {
        let block = Self.block(message)
        // A single write does not interleave with other output.
        guard block.withCString({ write(1, $0, strlen($0)) }) == block.utf8.count else {
            throw DeliveryError("standard output cannot be written")
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
