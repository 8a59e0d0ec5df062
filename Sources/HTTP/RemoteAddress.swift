internal import Glibc

/// Formats a client's IP address.
enum RemoteAddress {
    /// The address without a port. An IPv4 client of a dual-stack socket is written as IPv4, so that limits and lists
    /// by address see one name for it.
    static func text(_ address: sockaddr_storage) -> String {
        withUnsafeBytes(of: address) { text($0) }
    }

    private static func text(_ raw: UnsafeRawBufferPointer) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if Int32(raw.loadUnaligned(as: sockaddr.self).sa_family) == AF_INET6 {
            var host = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            inet_ntop(AF_INET6, &host, &text, socklen_t(text.count))
        } else {
            var host = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            inet_ntop(AF_INET, &host, &text, socklen_t(text.count))
        }
        let written = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return written.hasPrefix("::ffff:") && written.contains(".") ? String(written.dropFirst(7)) : written
    }
}
