internal import Glibc

/// An IP address as 128 bits. IPv4 addresses are mapped into IPv6 (RFC 4291, section 2.5.5.2).
struct NetworkAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    private static let mapped: UInt64 = 0x0000_ffff_0000_0000

    /// Parses an address; nil if `text` is not one.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(high: 0, low: Self.mapped | UInt64(UInt32(bigEndian: v4.s_addr)))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let (high, low) = withUnsafeBytes(of: &v6) { bytes in
            (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The unit that limits count by: an IPv4 address, or the /64 that an IPv6 subscriber has.
    var subscriber: NetworkAddress {
        high == 0 && low >> 32 == Self.mapped >> 32 ? self : NetworkAddress(high: high, low: 0)
    }

    /// Whether the address is in `network`.
    func isIn(_ network: Network) -> Bool {
        let bits = network.bits
        let highMask: UInt64 = bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
        let lowMask: UInt64 = bits <= 64 ? 0 : bits >= 128 ? .max : ~(UInt64.max >> UInt64(bits - 64))
        return (high ^ network.address.high) & highMask == 0 && (low ^ network.address.low) & lowMask == 0
    }

    /// A block of addresses, such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
    struct Network: Hashable, Sendable {
        let address: NetworkAddress
        /// The length of the prefix, out of 128 bits.
        let bits: Int

        /// Parses a block; nil if `text` is not one.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let address = NetworkAddress(first) else { return nil }
            let v4 = !first.contains(":")
            guard parts.count == 2 else {
                (self.address, bits) = (address, 128)
                return
            }
            guard let prefix = Int(parts[1]), (0...(v4 ? 32 : 128)).contains(prefix) else { return nil }
            (self.address, bits) = (address, prefix + (v4 ? 96 : 0))
        }
    }
}
