import Foundation
import Glibc

/// Reads server-sent events from one connection as they arrive. ``HTTPConnections`` returns a body only at its end, and
/// this one has none.
final class EventClient {
    /// An event as it arrived.
    struct Event: Equatable {
        let id: String
        let type: String
        let data: JSON

        /// The id of the resource that it is about.
        var subject: String { data["id"]?.string ?? "" }
    }

    private let client: APIClient
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var hasEnded = false
    /// The status and headers of the answer, and the body if it is a refusal.
    private(set) var answer = APIClient.Answer(status: 0, headers: [:], body: Data())
    /// The position to resume from after this connection; a comment moves it too.
    private(set) var lastEventID: String?
    /// The time that a test waits for one thing; keep-alive comments do not extend it.
    private static let timeout = Duration.seconds(120)

    /// Asks for events after `position`, and reads the head of the answer.
    ///
    /// `window` is roughly the number of bytes that the kernel buffers before they are read.
    convenience init(
        _ client: APIClient, as token: String, after position: String? = nil, window: Int32? = nil,
        headers: [String: String] = [:]
    ) async throws {
        var headers = headers
        if let position { headers["Last-Event-ID"] = position }
        try await self.init(client, "GET", "/v1/events", as: token, headers: headers, window: window)
    }

    init(
        _ client: APIClient, _ method: String, _ path: String, as token: String?, headers: [String: String] = [:],
        window: Int32? = nil
    ) async throws {
        self.client = client
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var window { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(client.base.port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard result == 0 else { throw KithProcess.Failure(description: "cannot connect: \(errno)") }
        var fields = headers
        fields["Host"] = fields["Host"] ?? "localhost"
        if let token { fields["Authorization"] = "Bearer \(token)" }
        let lines = ["\(method) \(path) HTTP/1.1"] + fields.map { "\($0): \($1)" } + ["", ""]
        let bytes = Array(lines.joined(separator: "\r\n").utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw KithProcess.Failure(description: "cannot send: \(errno)")
        }
        try await readHead()
    }

    deinit { close(descriptor) }

    private func readHead() async throws {
        let deadline = ContinuousClock.now + Self.timeout
        var lines: [String] = []
        while let line = try await line(by: deadline), !line.isEmpty { lines.append(line) }
        guard let status = lines.first.flatMap({ Int($0.split(separator: " ").dropFirst().first ?? "") }) else {
            throw KithProcess.Failure(description: "no answer: \(lines)")
        }
        let headers = lines.dropFirst().reduce(into: [String: String]()) { headers, line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            headers[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2))
        }
        var body: [UInt8] = []
        if let length = headers["content-length"].flatMap({ Int($0) }) {
            while received.count < length, try await receive(by: deadline) {}
            body = Array(received.prefix(length))
        }
        answer = APIClient.Answer(status: status, headers: headers, body: Data(body))
    }

    /// The next event; nil when the stream has ended.
    func next() async throws -> Event? {
        let deadline = ContinuousClock.now + Self.timeout
        while let block = try await block(by: deadline) {
            if let event = block { return event }
        }
        return nil
    }

    /// The next event of a type; earlier events of other types are skipped.
    func next(_ type: String) async throws -> Event {
        while let event = try await next() {
            if event.type == type { return event }
        }
        throw KithProcess.Failure(description: "the stream ended without \(type)")
    }

    /// The next notification of a type. Other notifications may come first, because a stream may begin with events from
    /// just before it.
    func next(notification type: String) async throws -> Event {
        while true {
            let event = try await next("notification")
            if event.data["type"]?.string == type { return event }
        }
    }

    /// Waits for an event of each kind, in any order; other events are skipped.
    func next(each kinds: ((Event) -> Bool)...) async throws -> [Event] {
        var found = [Event?](repeating: nil, count: kinds.count)
        while found.contains(where: { $0 == nil }) {
            guard let event = try await next() else {
                throw KithProcess.Failure(description: "the stream ended: \(found)")
            }
            for (index, isWanted) in kinds.enumerated() where found[index] == nil && isWanted(event) {
                found[index] = event
            }
        }
        return found.compactMap { $0 }
    }

    /// The position to resume from. Waits for the first one: a stream begins with a block that has none.
    func position() async throws -> String {
        while lastEventID == nil {
            guard try await block() != nil else { break }
        }
        guard let lastEventID else { throw KithProcess.Failure(description: "the stream ended without a position") }
        return lastEventID
    }

    /// Waits until the stream ends; the events until then.
    func rest() async throws -> [Event] {
        var events: [Event] = []
        while let event = try await next() { events.append(event) }
        return events
    }

    /// Reads up to the next empty line: an event, or a comment. Nil at the end of the stream, whose last block is
    /// incomplete.
    func block() async throws -> Event?? {
        try await block(by: .now + Self.timeout)
    }

    private func block(by deadline: ContinuousClock.Instant) async throws -> Event?? {
        var (id, type, data): (String?, String?, [String]) = (nil, nil, [])
        while let line = try await line(by: deadline) {
            guard !line.isEmpty else {
                lastEventID = id ?? lastEventID
                guard let type else { return .some(nil) }
                let event = Event(id: id ?? "", type: type, data: try JSON(Data(data.joined(separator: "\n").utf8)))
                await DocumentedAnswers.shared.check(event, of: client)
                return event
            }
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = String(line[colon...].dropFirst(2))
            switch line[..<colon] {
            case "id": id = value
            case "event": type = value
            case "data": data.append(value)
            default: break
            }
        }
        return nil
    }

    /// The next line without its terminator; nil at the end of the stream.
    private func line(by deadline: ContinuousClock.Instant) async throws -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            guard try await receive(by: deadline) else { return nil }
        }
    }

    /// Waits for more data without blocking the thread, because the tests have few threads.
    private func receive(by deadline: ContinuousClock.Instant) async throws -> Bool {
        guard !hasEnded else { return false }
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { received += buffer.prefix(count) }
            guard count < 0, errno == EAGAIN || errno == EINTR else {
                hasEnded = count <= 0
                return !hasEnded
            }
            guard ContinuousClock.now < deadline else {
                throw KithProcess.Failure(description: "nothing arrived: \(String(decoding: received, as: UTF8.self))")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

extension Person {
    /// Opens a number of streams.
    func listen(times: Int) async throws -> [EventClient] {
        var streams: [EventClient] = []
        while streams.count < times { streams.append(try await listen()) }
        return streams
    }

    /// Subscribes to this person's events. Retries if the server answers that it can succeed later: on a machine that
    /// is busy with other tests the database may be late.
    func listen(after position: String? = nil) async throws -> EventClient {
        for _ in 0..<10 {
            let events = try await EventClient(client, as: token, after: position)
            if events.answer.status == 200 { return events }
            guard events.answer.status == 503 else {
                throw KithProcess.Failure(description: "\(events.answer.status) \(events.answer.text)")
            }
            try await Task.sleep(for: .seconds(1))
        }
        throw KithProcess.Failure(description: "the server refused every stream")
    }
}
