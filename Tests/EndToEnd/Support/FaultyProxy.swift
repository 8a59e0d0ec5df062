import Foundation
import Glibc
import Synchronization

/// A network between a client and a server that behaves as badly as a test asks for. Each connection carries one request.
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
    let url: URL
    private let upstream: URL
    private let listener: Int32
    private let state: Mutex<State>

    private struct State {
        var plan: @Sendable (String) -> Fault
        var requests: [String] = []
        /// The seconds by which the clock that answers carry is ahead of the server's.
        var clock: TimeInterval = 0
    }

    /// Listens on a port of its own. `plan` has the fault for a request, given its first line; it may be called by several threads.
    init(before client: APIClient, _ plan: @escaping @Sendable (String) -> Fault = { _ in .none }) throws {
        upstream = client.base
        state = Mutex(State(plan: plan))
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(listening, $0.baseAddress, size) == 0 && listen(listening, 64) == 0
                    && getsockname(listening, $0.baseAddress, &size) == 0
            }
        }
        guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw KithProcess.Failure(description: "cannot listen: \(errno)")
        }
        listener = listening
        self.url = url
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else { return }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                guard let self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread {
                    self.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Lets requests meet other faults from now on.
    func behave(_ plan: @escaping @Sendable (String) -> Fault) { state.withLock { $0.plan = plan } }

    /// Lets the clock that answers carry be so many seconds ahead of the server's.
    func moveClock(by seconds: TimeInterval) { state.withLock { $0.clock = seconds } }

    /// The first lines of the requests so far.
    var requests: [String] { state.withLock { $0.requests } }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func serve(_ connection: Int32) {
        let request = Self.message(from: connection)
        guard let line = String(decoding: request, as: UTF8.self).split(separator: "\r\n").first.map(String.init) else {
            return
        }
        let plan = state.withLock { state in
            state.requests.append(line)
            return state.plan
        }
        switch plan(line) {
        case .none: Self.write(answer(to: request), to: connection)
        case .drop: break
        case .loseAnswer: _ = answer(to: request)
        case .duplicate:
            _ = answer(to: request)
            Self.write(answer(to: request), to: connection)
        case .truncate:
            let answer = answer(to: request)
            Self.write(Array(answer.prefix(answer.count - min(10, answer.count / 2))), to: connection)
        case .reset:
            _ = answer(to: request)
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        case .page: Self.write(Self.answer("200 OK", "text/html", "<h1>Welcome to our hotel</h1>"), to: connection)
        case .gateway: Self.write(Self.answer("502 Bad Gateway", "text/plain", "Bad Gateway"), to: connection)
        case .delay:
            usleep(200_000)
            Self.write(answer(to: request), to: connection)
        }
    }

    private static func answer(_ status: String, _ type: String, _ body: String) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                .utf8)
    }

    /// What the server answers, with the clock moved.
    private func answer(to request: [UInt8]) -> [UInt8] {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(server) }
        var address = Self.address(upstream.port ?? 0)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(server, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard result == 0 else { return [] }
        Self.write(request, to: server)
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

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
