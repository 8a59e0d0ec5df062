/// Determines the client's address for requests that came through proxies.
///
/// `X-Forwarded-For` is trusted only as far as trusted proxies wrote it. The client is the rightmost address that is
/// not a trusted proxy: everything to its left can be forged.
package struct TrustedProxies: Sendable {
    /// The most addresses to examine. No deployment chains more proxies.
    private static let mostHops = 16

    package let networks: [AddressBlock]

    /// Trusts the proxies in `networks`.
    package init(networks: [AddressBlock]) {
        self.networks = networks
    }

    /// The client behind `peer`, given the combined `X-Forwarded-For` fields; nil if the peer itself has no IP address.
    package func client(peer: String, forwardedFor: @autoclosure () -> String?) -> NetworkAddress? {
        guard let address = NetworkAddress(peer) else { return nil }
        guard !networks.isEmpty, isTrusted(address), let header = forwardedFor() else { return address }
        var client = address
        var rest = header.utf8[...]
        for _ in 0..<Self.mostHops where !rest.isEmpty {
            let start = rest.lastIndex(of: UInt8(ascii: ",")).map { rest.index(after: $0) } ?? rest.startIndex
            let hop = rest[start...].drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
            rest = rest[..<start].dropLast()
            guard let next = NetworkAddress(Substring(hop)) else { return client }
            client = next
            guard isTrusted(next) else { return client }
        }
        return client
    }

    private func isTrusted(_ address: NetworkAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}
