import Foundation

/// An event of a stream (HTML Standard, section 9.2, "Server-sent events").
struct ServerSentEvent: Sendable, Equatable {
    /// The position after the event; empty if the stream has given none.
    var id: String
    /// The type; `message` if the stream gives none.
    var type: String
    /// The lines of data, joined by line feeds.
    var data: Data
    /// Whether the event was larger than the parser allows. Then it has no data.
    var isTooLarge = false
}

/// Reads server-sent events from bytes as they arrive, in pieces of any size.
///
/// Lines end with CR, LF or both. Text is decoded line by line, so a character may be split between two pieces. An
/// event that the stream does not complete is dropped, because the server sends it again.
struct ServerSentEventParser: Sendable {
    /// The most bytes of a line and of an event's data. Larger events are reported without their data.
    let limit: Int
    /// The position to resume from; a block without data moves it too.
    private(set) var lastEventID: String?
    /// How long the server wants clients to wait before they reconnect, in milliseconds.
    private(set) var retry: Int?

    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []
    private var lineIsTooLong = false
    private var endsWithCR = false
    /// The bytes of a byte order mark that may still come, at the very beginning.
    private var isAtStart = true
    private var id: String?
    private var type = ""
    private var data: Data?
    private var isTooLarge = false

    /// Creates a parser that resumes after `lastEventID`.
    init(after lastEventID: String? = nil, limit: Int = 1 << 20) {
        self.lastEventID = lastEventID
        self.limit = limit
    }

    /// Reads the next bytes of the stream; the events that they complete.
    mutating func read(_ bytes: Data) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                if endsWithCR {
                    endsWithCR = false
                    if buffer[start] == Self.lineFeed { start += 1 }
                    continue
                }
                let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
                guard let end = rest.firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn }) else {
                    keep(rest)
                    break
                }
                endsWithCR = rest[end] == Self.carriageReturn
                start += end + 1
                let part = UnsafeRawBufferPointer(rebasing: rest[..<end])
                if line.isEmpty, !lineIsTooLong, part.count <= limit {
                    take(part, into: &events)
                } else {
                    keep(part)
                    let whole = line
                    line = []
                    whole.withUnsafeBytes { take($0, into: &events) }
                    lineIsTooLong = false
                }
            }
        }
        return events
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private mutating func keep(_ part: UnsafeRawBufferPointer) {
        guard !lineIsTooLong else { return }
        if line.count + part.count > limit {
            lineIsTooLong = true
            // The name of the field is still needed: a comment that is too long is no event.
            line = Array((line.prefix(8) + part.prefix(8)).prefix(8))
        } else {
            line.append(contentsOf: part)
        }
    }

    private mutating func take(_ whole: UnsafeRawBufferPointer, into events: inout [ServerSentEvent]) {
        var line = whole
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line.dropFirst(3)) }
        }
        guard !line.isEmpty || lineIsTooLong else {
            if let event = finish() { events.append(event) }
            return
        }
        guard line.first != UInt8(ascii: ":") else { return }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = UnsafeRawBufferPointer(rebasing: line[min(colon + 1, line.count)...])
        if value.first == UInt8(ascii: " ") { value = UnsafeRawBufferPointer(rebasing: value.dropFirst()) }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        if name.elementsEqual("data".utf8) {
            appendData(value)
        } else if lineIsTooLong {
            // No id or type of Kith is that long, so the field is ignored.
            return
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("retry".utf8) {
            let isNumber = !value.isEmpty && value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if isNumber { retry = Int(String(decoding: value, as: UTF8.self)) ?? retry }
        }
    }

    private mutating func appendData(_ value: UnsafeRawBufferPointer) {
        var whole = data ?? Data()
        if data != nil { whole.append(Self.lineFeed) }
        if lineIsTooLong || isTooLarge || whole.count + value.count > limit {
            isTooLarge = true
            data = Data()
            return
        }
        whole.append(contentsOf: value)
        data = whole
    }

    /// Ends a block: an event if it has data.
    private mutating func finish() -> ServerSentEvent? {
        defer {
            (id, type, data, isTooLarge) = (nil, "", nil, false)
        }
        lastEventID = id ?? lastEventID
        guard let data else { return nil }
        return ServerSentEvent(
            id: lastEventID ?? "", type: type.isEmpty ? "message" : type, data: data, isTooLarge: isTooLarge)
    }
}
