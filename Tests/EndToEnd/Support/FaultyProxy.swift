import Foundation
import Glibc
import Synchronization

/// A network between a client and a server that behaves as badly as a test asks for. Each connection carries one
/// request.
final class FaultyProxy: Sendable {
    /// What happens to a request.
    enum Fault: CaseIterable, Sendable {
        case none
        /// The request is lost.
        case drop
        /// The request arrives, and the answer is lost.
        case loseAnswer
        /// The request arrives twice.
        case duplicate
        /// Half of the answer arrives.
        case truncate
        /// The request arrives, and the connection is reset.
        case reset
        /// A hotel's Wi-Fi answers.
        case page
        /// A proxy before the server answers that nobody is there.
        case gateway
        /// The answer is late.
        case delay
    }

    /// The address that a client is given.
    var url: URL { listener.url }
    private let listener: LoopbackListener
    private let upstream: Upstream

    /// Listens on a port of its own. `plan` has the fault for a request, given its first line; it may be called by
    /// several threads.
    init(before client: APIClient, _ plan: @escaping @Sendable (String) -> Fault = { _ in .none }) throws {
        let upstream = Upstream(client.base, plan)
        self.upstream = upstream
        listener = try LoopbackListener { connection in
            Thread.detachNewThread {
                upstream.serve(connection)
                close(connection)
            }
        }
    }

    /// Lets requests meet other faults from now on.
    func behave(_ plan: @escaping @Sendable (String) -> Fault) { upstream.state.withLock { $0.plan = plan } }

    /// Lets the clock that answers carry be so many seconds ahead of the server's.
    func moveClock(by seconds: TimeInterval) { upstream.state.withLock { $0.clock = seconds } }

    /// The first lines of the requests so far.
    var requests: [String] { upstream.state.withLock { $0.requests } }
}

/// The server behind a faulty network.
private final class Upstream: Sendable {
    let state: Mutex<State>
    private let url: URL

    struct State {
        var plan: @Sendable (String) -> FaultyProxy.Fault
        var requests: [String] = []
        /// The seconds by which the clock that answers carry is ahead of the server's.
        var clock: TimeInterval = 0
    }

    init(_ url: URL, _ plan: @escaping @Sendable (String) -> FaultyProxy.Fault) {
        self.url = url
        state = Mutex(State(plan: plan))
    }

    func serve(_ connection: Int32) {
        let request = Self.message(from: connection)
        guard let line = String(decoding: request, as: UTF8.self).split(separator: "\r\n").first.map(String.init) else {
            return
        }
        let plan = state.withLock { state in
            state.requests.append(line)
            return state.plan
        }
        switch plan(line) {
        case .none: LoopbackListener.send(answer(to: request), to: connection)
        case .drop: break
        case .loseAnswer: _ = answer(to: request)
        case .duplicate:
            _ = answer(to: request)
            LoopbackListener.send(answer(to: request), to: connection)
        case .truncate:
            let answer = answer(to: request)
            LoopbackListener.send(Array(answer.prefix(answer.count - min(10, answer.count / 2))), to: connection)
        case .reset:
            _ = answer(to: request)
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        case .page:
            LoopbackListener.send(Self.answer("200 OK", "text/html", "<h1>Welcome to our hotel</h1>"), to: connection)
        case .gateway:
            LoopbackListener.send(Self.answer("502 Bad Gateway", "text/plain", "Bad Gateway"), to: connection)
        case .delay:
            usleep(200_000)
            LoopbackListener.send(answer(to: request), to: connection)
        }
    }

    private static func answer(_ status: String, _ type: String, _ body: String) -> [UInt8] {
        Array(
            """
            HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: \
            close\r\n\r\n\(body)
            """
            .utf8)
    }

    /// What the server answers, with the clock moved.
    private func answer(to request: [UInt8]) -> [UInt8] {
        guard let server = LoopbackListener.connect(to: url) else { return [] }
        defer { close(server) }
        // An answer is read as text, so it must not be compressed.
        var plain = request
        if let header = plain.firstRange(of: Array("Accept-Encoding:".utf8)) {
            plain.replaceSubrange(header, with: Array("X-Accept-Nothing:".utf8))
        }
        LoopbackListener.send(plain, to: server)
        var answer = String(decoding: Self.message(from: server), as: UTF8.self)
        let clock = state.withLock { $0.clock }
        if clock != 0, let date = answer.firstMatch(of: /Date: ([A-Za-z0-9:, ]+)/),
            let time = Self.dates.date(from: String(date.1))
        {
            answer.replaceSubrange(date.range, with: "Date: \(Self.dates.string(from: time + clock))")
        }
        // Otherwise the client sends the next request on a connection that is being closed.
        if let line = answer.firstRange(of: "\r\n") {
            answer.replaceSubrange(line, with: "\r\nConnection: close\r\n")
        }
        return Array(answer.utf8)
    }

    private static let dates = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }()

    /// A head, and the body that its `Content-Length` tells of.
    private static func message(from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].lowercased()
                let length = head.firstMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return bytes }
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
