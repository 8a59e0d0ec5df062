internal import Glibc

/// An IP address and a port to listen on: `127.0.0.1:8080`, `[::1]:8080`, `[::]:8080` (both IPv6 and IPv4).
public struct ListenAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The IP address, without brackets.
    public let host: String
    /// The port; 0 lets the system choose one.
    public let port: UInt16

    /// Creates an address from its parts; `nil` when `host` is not an IP address. Names are not looked up.
    public init?(host: String, port: UInt16) {
        self.host = host
        self.port = port
        guard withSocketAddress({ _, _ in true }) else { return nil }
    }

    /// Reads `host:port`, with an IPv6 host in brackets; `nil` when the text is not that.
    public init?(_ description: String) {
        guard let colon = description.lastIndex(of: ":"), let port = UInt16(description[colon...].dropFirst()) else {
            return nil
        }
        var host = description[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed == host.contains(":") else { return nil }
        if isBracketed { host = host.dropFirst().dropLast() }
        self.init(host: String(host), port: port)
    }

    /// `host:port`, in the form that ``init(_:)`` reads.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private var family: Int32 { host.contains(":") ? AF_INET6 : AF_INET }

    /// Opens a listening socket, alone or beside others of this process.
    ///
    /// - Returns: The descriptor, and the address with the port that the system chose.
    /// - Throws: `HTTPServerError.cannotListen` with the `errno`.
    func listen(
        _ sharing: AddressSharing
    ) throws(HTTPServerError) -> (descriptor: Int32, address: ListenAddress) {
        switch sharing {
        case .alone: try listen()
        // Shares the address only once it is bound. Otherwise it would join another process's servers.
        case .first: try listen(whenBound: Self.share)
        case .further(let address): try address.listen(onceMade: Self.share)
        }
    }

    /// Takes the address without listening there, so that nobody else gets it; the descriptor to close, and the address
    /// with the port that the system chose. Servers listen there as ``AddressSharing/further(_:)``.
    func reserve() throws(HTTPServerError) -> (descriptor: Int32, address: ListenAddress) {
        // Without SO_REUSEADDR, which lets others have an address at which nobody listens (socket(7)).
        try bound(whenBound: Self.share)
    }

    private static func share(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    private func listen(
        onceMade: (Int32) -> Void = { _ in }, whenBound: (Int32) -> Void = { _ in }
    ) throws(HTTPServerError) -> (descriptor: Int32, address: ListenAddress) {
        let (descriptor, address) = try bound(
            onceMade: { descriptor in
                // Without this, a restarted server could not listen for a minute, until the kernel forgets its
                // predecessor's connections.
                var yes: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
                onceMade(descriptor)
            }, whenBound: whenBound)
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            let code = errno
            close(descriptor)
            throw .cannotListen(self, code: code)
        }
        return (descriptor, address)
    }

    private func bound(
        onceMade: (Int32) -> Void = { _ in }, whenBound: (Int32) -> Void = { _ in }
    ) throws(HTTPServerError) -> (descriptor: Int32, address: ListenAddress) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .cannotListen(self, code: errno) }
        if family == AF_INET6 {
            var no: Int32 = 0
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
        }
        onceMade(descriptor)
        let isBound = withSocketAddress { bind(descriptor, $0, $1) == 0 }
        if isBound { whenBound(descriptor) }
        guard isBound, let chosen = Self.port(of: descriptor), let address = ListenAddress(host: host, port: chosen)
        else {
            let code = errno
            close(descriptor)
            throw .cannotListen(self, code: code)
        }
        return (descriptor, address)
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutableBytes(of: &storage) {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard result == 0 else { return nil }
        // The port is at the same offset in the addresses of both families.
        return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// Calls `body` with the address in the kernel's format. Returns false when the host is not an IP address.
    private func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        func call(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard let start = bytes.baseAddress else { return false }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return false }
            return withUnsafeBytes(of: &address, call)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return false }
        return withUnsafeBytes(of: &address, call)
    }
}
