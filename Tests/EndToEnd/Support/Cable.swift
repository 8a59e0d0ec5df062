import Foundation
import Glibc
import Synchronization

/// A network between browsers and a server that can be cut. It passes everything on as it arrives, streams too.
final class Cable: Sendable {
    /// The address that browsers are given.
    let url: URL
    private let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var isCut = false
        /// The open connections, of both sides.
        var ends: Set<Int32> = []
        var requests: [String] = []
    }

    /// Listens on a port of its own.
    init(before client: APIClient) throws {
        port = UInt16(client.base.port ?? 80)
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
                connect(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Ends all connections, and lets no other begin.
    func cut() {
        state.withLock { state in
            state.isCut = true
            for end in state.ends { shutdown(end, Int32(SHUT_RDWR)) }
        }
    }

    /// Lets connections begin again.
    func mend() { state.withLock { $0.isCut = false } }

    /// How many requests have had this method and path, such as `POST /today`.
    func count(_ request: String) -> Int { state.withLock { $0.requests.filter { $0.hasPrefix("\(request) ") }.count } }

    private func connect(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port)
        let isConnected =
            withUnsafeBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    Glibc.connect(server, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            } == 0
        let isUsed = state.withLock { state in
            guard !state.isCut, isConnected else { return false }
            state.ends.formUnion([client, server])
            return true
        }
        guard isUsed else {
            close(client)
            close(server)
            return
        }
        let open = Mutex(2)
        let pair = Pair(open)
        for (from, to) in [(client, server), (server, client)] {
            Thread.detachNewThread { [self] in
                pass(from, to, isRequest: from == client)
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                // The one that ends last closes both, so that no number is used again before.
                guard pair.leave() else { return }
                state.withLock { $0.ends.subtract([client, server]) }
                close(client)
                close(server)
            }
        }
    }

    /// The two directions of a connection.
    private final class Pair: Sendable {
        private let open: Mutex<Int>
        init(_ open: consuming Mutex<Int>) { self.open = open }

        /// Whether this was the last.
        func leave() -> Bool {
            open.withLock { open in
                open -= 1
                return open == 0
            }
        }
    }

    private func pass(_ from: Int32, _ to: Int32, isRequest: Bool) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            if isRequest {
                let line = String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
                if line.hasSuffix(" HTTP/1.1") { state.withLock { $0.requests.append(line) } }
            }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    Glibc.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
        }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
