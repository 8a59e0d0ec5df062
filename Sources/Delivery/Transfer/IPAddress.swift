internal import Glibc

/// An IPv4 or IPv6 address, as a number.
struct IPAddress: Sendable, Equatable, CustomStringConvertible {
    let isIPv4: Bool
    let bits: UInt128

    /// The number of bits in an address of this family.
    var width: Int { isIPv4 ? 32 : 128 }

    /// Creates an IPv4 address.
    init(ipv4 bits: UInt32) {
        isIPv4 = true
        self.bits = UInt128(bits)
    }

    /// Reads the textual form of an address.
    init?(_ text: String) {
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(ipv4: UInt32(bigEndian: ipv4.s_addr))
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            self.init(ipv6)
        } else {
            return nil
        }
    }

    /// Reads the address of a socket; nil for another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(ipv4: UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    /// The textual form.
    var description: String {
        let bytes =
            isIPv4
            ? withUnsafeBytes(of: UInt32(truncatingIfNeeded: bits).bigEndian, Array.init)
            : withUnsafeBytes(of: bits.bigEndian, Array.init)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private init(_ address: in6_addr) {
        isIPv4 = false
        bits = withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }
}
