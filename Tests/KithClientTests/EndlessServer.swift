#if canImport(FoundationNetworking)
    import Foundation
    import Glibc
    import Synchronization

    /// A server whose responses to `/endless` end only with the connection, and that takes the body of everything else
    /// and answers with nothing.
    final class EndlessServer: Sendable {
        let url: URL
        private let listener: Int32
        private let state = Mutex((responses: 0, sent: 0, bodies: [Int]()))

        /// The endless responses whose connection has ended.
        var responses: Int { state.withLock { $0.responses } }

        /// The bytes of the newest endless response so far.
        var sent: Int { state.withLock { $0.sent } }

        /// The sizes of the bodies that have arrived as a whole.
        var bodies: [Int] { state.withLock { $0.bodies } }

        init() throws {
            let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutableBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    bind(listening, $0.baseAddress, size) == 0 && listen(listening, 64) == 0
                        && getsockname(listening, $0.baseAddress, &size) == 0
                }
            }
            guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/") else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            (self.url, listener) = (url, listening)
            Thread.detachNewThread { [weak self] in
                while true {
                    let connection = accept(listening, nil, nil)
                    guard connection >= 0 else { return }
                    guard let self else {
                        close(connection)
                        return
                    }
                    Thread.detachNewThread { self.serve(connection) }
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }

        private func serve(_ connection: Int32) {
            defer { close(connection) }
            var request = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(connection, &request, request.count, 0)
                guard count > 0 else { return }
                let text = String(decoding: request[..<count], as: UTF8.self)
                guard text.hasPrefix("GET ") || takeBody(after: text, from: connection) else { return }
                let isEndless = text.hasPrefix("GET /endless")
                let head = "HTTP/1.1 200 OK\r\n" + (isEndless ? "" : "Content-Length: 0\r\n") + "\r\n"
                guard Self.send(Array(head.utf8), to: connection) else { return }
                guard isEndless else { continue }
                state.withLock { $0.sent = 0 }
                let piece = [UInt8](repeating: 0, count: 65536)
                while Self.send(piece, to: connection) { state.withLock { $0.sent += piece.count } }
                return state.withLock { $0.responses += 1 }
            }
        }

        /// Reads the body of a request whose beginning is `text`; whether all of it has arrived.
        private func takeBody(after text: String, from connection: Int32) -> Bool {
            let head = text.components(separatedBy: "\r\n\r\n")[0]
            let length = head.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
            var rest = length - (text.utf8.count - head.utf8.count - 4)
            if head.contains("Expect: 100-continue") {
                guard Self.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection) else { return false }
            }
            var piece = [UInt8](repeating: 0, count: 65536)
            while rest > 0 {
                let count = recv(connection, &piece, min(piece.count, rest), 0)
                guard count > 0 else { return false }
                rest -= count
            }
            state.withLock { $0.bodies.append(length) }
            return true
        }

        private static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
#endif
