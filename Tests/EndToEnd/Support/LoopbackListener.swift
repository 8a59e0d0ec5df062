import Foundation
import Glibc

/// A port of this machine that accepts connections until the object is released.
final class LoopbackListener: Sendable {
    /// The address for clients.
    let url: URL
    private let descriptor: Int32

    /// Listens on a port of its own. `accepted` gets each connection on the listener's thread and has to close it.
    init(_ accepted: @escaping @Sendable (Int32) -> Void) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0.baseAddress, &size) == 0
            }
        }
        guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw KithProcess.Failure(description: "cannot listen: \(errno)")
        }
        self.descriptor = descriptor
        self.url = url
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                accepted(connection)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Connects to a server of this machine; nil if nothing listens there.
    static func connect(to server: URL) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = address(UInt16(server.port ?? 80))
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Sends all of `bytes`; false if the other side is gone.
    @discardableResult
    static func send(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
