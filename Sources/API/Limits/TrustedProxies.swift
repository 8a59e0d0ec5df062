/// Finds out who sent a request that came through proxies.
///
/// `X-Forwarded-For` is believed only as far as trusted proxies wrote it: the client is the rightmost address that is not
/// a trusted proxy's. Whatever stands left of it, a client could have made up.
struct TrustedProxies: Sendable {
    /// How many addresses are looked at: more proxies than stand in any row.
    private static let mostHops = 16

    let networks: [NetworkAddress.Network]

    /// The client behind `peer`, given the list that came with the request, of all its fields; nil when even the peer has no IP address.
    func client(peer: String, forwardedFor: @autoclosure () -> String?) -> NetworkAddress? {
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
        networks.contains { address.isIn($0) }
    }
}
