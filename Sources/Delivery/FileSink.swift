internal import Foundation
internal import Glibc

/// Appends messages to a file that only its owner reads, a JSON object a line: for tests, and for a provider that is fed from a file.
public struct FileSink: DeliveryChannel {
    private let path: String

    private struct Line: Encodable {
        let id: String
        let channel: String
        let address: String
        let subject: String?
        let text: String
    }

    /// A sink that appends to the file at `path`, which is made when the first message comes.
    public init(path: String) {
        self.path = path
    }

    /// Appends `message`; it has no other name afterwards.
    @discardableResult
    public func send(_ message: Message) async throws(DeliveryError) -> String? {
        // Opened for each, so that the file may be moved away meanwhile.
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DeliveryError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let line = Line(
            id: message.id, channel: message.channel, address: message.address, subject: message.subject,
            text: message.text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var bytes = try? Array(encoder.encode(line)) else { throw DeliveryError("the message is no JSON") }
        bytes.append(UInt8(ascii: "\n"))
        guard write(file, bytes, bytes.count) == bytes.count else {
            throw DeliveryError("\(path): \(String(cString: strerror(errno)))")
        }
        return nil
    }
}
