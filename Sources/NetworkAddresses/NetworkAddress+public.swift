extension NetworkAddress {
    /// Whether the address is on the public Internet. The blocks of the registries of special-purpose addresses (IANA,
    /// RFC 6890) are refused as a whole, even the globally reachable ones.
    public var isPublic: Bool {
        if let embedded { return embedded.isPublic }
        if isIPv4 { return !Self.specialIPv4.contains { $0.contains(self) } }
        return Self.globalUnicast.contains(self) && !Self.specialIPv6.contains { $0.contains(self) }
    }

    /// The IPv4 address that an IPv6 address leads to: NAT64 (RFC 6052) or 6to4 (RFC 3056).
    public var embedded: NetworkAddress? {
        if Self.nat64.contains(self) { return NetworkAddress(ipv4: UInt32(truncatingIfNeeded: bits)) }
        if Self.sixToFour.contains(self) { return NetworkAddress(ipv4: UInt32(truncatingIfNeeded: bits >> 80)) }
        return nil
    }

    private static let nat64 = block("64:ff9b::/96")
    private static let sixToFour = block("2002::/16")

    private static let specialIPv4 = [
        // This network, private use, carrier-grade NAT, loopback, link-local with the cloud metadata services, private
        // use.
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        // Protocol assignments, documentation, AS112, 6to4 relays, private use, AS112.
        "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        // AMT, benchmarks, documentation, multicast, reserved with broadcast.
        "192.52.193.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    ].map(block)

    /// All unicast addresses that IANA has allocated so far. Loopback, link-local, unique local, multicast and the rest
    /// lie outside.
    private static let globalUnicast = block("2000::/3")

    private static let specialIPv6 = [
        // Protocol assignments with Teredo and benchmarks, documentation twice, AS112.
        "2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48",
    ].map(block)

    private static func block(_ text: String) -> AddressBlock {
        guard let block = AddressBlock(text) else { preconditionFailure("\(text) is no block of addresses") }
        return block
    }
}
