/// The lines of an event stream (HTML Standard, section 9.2, "Server-sent events").
enum ServerSentEvent {
    /// An event. A client resumes after it by sending `position`.
    static func event(_ position: EventPosition, type: String, data: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 120)
        bytes += "id: \(position.text)\nevent: \(type)\ndata: ".utf8
        // A line break would end the data. In JSON it occurs only between tokens, where a space means the same.
        bytes += data.lazy.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        bytes += "\n\n".utf8
        return bytes
    }

    /// Tells the client that it has missed events that are no longer available, and that it continues from `position`.
    /// It must load everything it shows again.
    static func reset(_ position: EventPosition, reason: String) -> [UInt8] {
        event(position, type: "reset", data: #"{"reason":"\#(reason)"}"#.utf8)
    }

    /// A keep-alive that also advances the client's position when there were no events for it.
    static func comment(_ position: EventPosition) -> [UInt8] {
        Array("id: \(position.text)\n:\n\n".utf8)
    }

    /// A keep-alive.
    static let comment = Array(":\n\n".utf8)

    /// Sets how many milliseconds the client waits before it reconnects.
    static func retry(after milliseconds: Int) -> [UInt8] {
        Array("retry: \(milliseconds)\n\n".utf8)
    }
}
