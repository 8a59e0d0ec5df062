/// What goes out on a stream of events (HTML Standard, section 9.2, "Server-sent events").
enum ServerSentEvent {
    /// An event, which a client that resumes names by `position`.
    static func event(_ position: EventPosition, type: String, data: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 120)
        bytes += "id: \(position.text)\nevent: \(type)\ndata: ".utf8
        // A line end would end the data. In JSON it stands between values only, where a space means the same.
        bytes += data.lazy.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        bytes += "\n\n".utf8
        return bytes
    }

    /// Says that the client has missed events that nobody can bring any more, and goes on from `position`: what it shows, it has to ask
    /// for anew.
    static func reset(_ position: EventPosition, reason: String) -> [UInt8] {
        event(position, type: "reset", data: #"{"reason":"\#(reason)"}"#.utf8)
    }

    /// Moves the position of the client, to whom nothing has happened, and is the sign of life on which it relies.
    static func comment(_ position: EventPosition) -> [UInt8] {
        Array("id: \(position.text)\n:\n\n".utf8)
    }

    /// A sign of life alone.
    static let comment = Array(":\n\n".utf8)

    /// After how many milliseconds the client is to come back when the stream has ended.
    static func retry(after milliseconds: Int) -> [UInt8] {
        Array("retry: \(milliseconds)\n\n".utf8)
    }
}
