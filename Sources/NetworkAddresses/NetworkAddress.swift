public import Glibc

/// An IP address. An IPv4 address and the IPv6 address that it is mapped to (RFC 4291 §2.5.5.2) are the same address,
/// so that a client of a dual-stack socket cannot pass for a second one, and no rule for IPv4 is avoided by the other
/// form.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 128 bits of the IPv6 form.
    let bits: UInt128

    /// The upper 96 bits of every mapped address.
    private static let mapped: UInt128 = 0xffff

    init(bits: UInt128) {
        self.bits = bits
    }

    init(ipv4: UInt32) {
        bits = Self.mapped << 32 | UInt128(ipv4)
    }

    /// Reads the textual form of an address; nil if `text` is not one.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(ipv4)
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            self.init(ipv6)
        } else {
            return nil
        }
    }

    /// Reads the address of a socket; nil for another family.
    public init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    private init(_ address: in_addr) {
        self.init(ipv4: UInt32(bigEndian: address.s_addr))
    }

    private init(_ address: in6_addr) {
        bits = withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    /// Whether the address is an IPv4 address.
    public var isIPv4: Bool { bits >> 32 == Self.mapped }

    /// The unit that limits count by: an IPv4 address, or the /64 that an IPv6 subscriber has.
    public var subscriber: NetworkAddress { isIPv4 ? self : NetworkAddress(bits: (bits >> 64) << 64) }

    /// The textual form, for example `192.0.2.1` or `2001:db8::1`.
    public var description: String {
        let bytes =
            isIPv4
            ? withUnsafeBytes(of: UInt32(truncatingIfNeeded: bits).bigEndian, Array.init)
            : withUnsafeBytes(of: bits.bigEndian, Array.init)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
