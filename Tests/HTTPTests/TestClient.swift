import Glibc

/// One TCP connection that sends exactly the bytes that a test wants, which no HTTP library does.
final class TestClient {
    /// The answer of a server.
    struct Answer {
        let status: Int
        let fields: [(name: String, value: String)]
        let body: String

        subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    /// Why a client failed.
    enum Failure: Error {
        case system(String, code: Int32)
        case closed
        case noAnswer(String)
    }

    private let descriptor: Int32
    private var received: [UInt8] = []
    private var isOpen = true

    /// Connects; `window` roughly bounds the bytes that the kernel buffers before they are read.
    init(port: UInt16, window: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket", code: errno) }
        // With this time-out, a test whose server never answers fails instead of hanging.
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        if var window {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
            }
        }
        // On failure `deinit` closes the descriptor: closing it here too could close one that another thread has opened
        // since.
        guard result == 0 else { throw Failure.system("connect", code: errno) }
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Closes with a reset, which the server's next write reports.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Closes the sending side.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 else { throw Failure.system("send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request without a body.
    func request(_ method: String = "GET", _ target: String = "/", _ fields: String...) throws {
        try send(head("\(method) \(target)", fields))
    }

    /// Sends a request with a body of declared length.
    func post(_ target: String = "/", body: String) throws {
        try send(head("POST \(target)", ["Content-Length: \(body.utf8.count)"]) + body)
    }

    private func head(_ line: String, _ fields: [String]) -> String {
        (["\(line) HTTP/1.1", "Host: localhost"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// The next answer; pass `hasBody: false` after a HEAD request.
    func answer(hasBody: Bool = true) throws -> Answer {
        var lines: [String] = []
        while true {
            let line = try line()
            if line.isEmpty { break }
            lines.append(line)
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Failure.noAnswer(lines.joined(separator: "\n"))
        }
        let fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (name: String(line[..<colon]), value: String(line[colon...].dropFirst(2)))
        }
        let answer = Answer(status: status, fields: fields, body: "")
        guard hasBody else { return answer }
        var body: [UInt8] = []
        if let length = answer["Content-Length"].flatMap({ Int($0) }) {
            body = try bytes(length)
        } else if answer["Transfer-Encoding"] == "chunked" {
            while case let chunk = try chunk(), !chunk.isEmpty { body += chunk }
        }
        return Answer(status: status, fields: fields, body: String(decoding: body, as: UTF8.self))
    }

    /// The next chunk of a body; empty at its end.
    func chunk() throws -> [UInt8] {
        let line = try line()
        guard let size = Int(line, radix: 16) else { throw Failure.noAnswer(line) }
        let chunk = try bytes(size)
        guard try self.line().isEmpty else { throw Failure.noAnswer("a chunk without an end") }
        return chunk
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count { try receive() }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// At least one byte of a body: whatever has arrived.
    func some() throws -> [UInt8] {
        if received.isEmpty { try receive() }
        defer { received = [] }
        return received
    }

    /// The next line, without its terminator.
    func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            try receive()
        }
    }

    /// Everything until the server closes the connection.
    func rest() throws -> [UInt8] {
        do {
            while true { try receive() }
        } catch Failure.closed { return received }
    }

    /// Waits for the server to close the connection; discards what it sends before that.
    func waitForClose() throws {
        do {
            while true { try receive() }
        } catch Failure.closed {}
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count == 0 || count < 0 && errno == ECONNRESET { throw Failure.closed }
        guard count > 0 else { throw Failure.system("recv", code: errno) }
        received.append(contentsOf: buffer.prefix(count))
    }
}
