import Foundation
import Glibc

/// One TCP connection to a server that sends and reads exactly as much as a test asks for.
final class RawConnection {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []

    /// Connects with a small receive buffer.
    init(_ client: APIClient) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var window: Int32 = 64 << 10
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(client.base.port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard result == 0 else { throw KithProcess.Failure(description: "cannot connect") }
    }

    deinit { close(descriptor) }

    /// Sends the head of a request.
    func request(_ method: String, _ path: String, as token: String, _ fields: String...) throws {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)"] + fields
        try send(Array(lines.map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw KithProcess.Failure(description: "cannot send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads until `total` bytes have arrived in all or the other end closes; whether they have.
    @discardableResult
    func read(_ total: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while received.count < total {
            let count = recv(descriptor, &buffer, min(buffer.count, total - received.count), 0)
            guard count > 0 else { return false }
            received += buffer[..<count]
        }
        return true
    }

    /// The text of the answer so far.
    var text: String { String(decoding: received, as: UTF8.self) }
}
