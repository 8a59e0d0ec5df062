internal import Foundation
internal import Glibc

/// Appends messages to a file that only its owner can read, one JSON object a line. It serves tests, and providers that
/// read from a file.
public struct FileSink: DeliveryChannel {
    private let path: String

    private struct Line: Encodable {
        let id: String
        let channel: String
        let address: String
        let subject: String?
        let text: String
    }

    /// Creates a sink that appends to the file at `path`. The first message creates the file.
    public init(path: String) {
        self.path = path
    }

    /// Appends `message`. Returns nil, because the message gets no id here.
    @discardableResult
    public func send(_ message: Message) async throws(DeliveryError) -> String? {
        // The file is opened for each message, so that it may be moved away in between.
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DeliveryError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let line = Line(
            id: message.id, channel: message.channel, address: message.address, subject: message.subject,
            text: message.text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var bytes = try? Array(encoder.encode(line)) else { throw DeliveryError("the message is not valid JSON") }
        bytes.append(UInt8(ascii: "\n"))
        guard write(file, bytes, bytes.count) == bytes.count else {
            throw DeliveryError("\(path): \(String(cString: strerror(errno)))")
        }
        return nil
    }
}
