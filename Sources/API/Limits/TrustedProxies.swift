/// Finds out who sent a request that came through proxies.
///
/// `X-Forwarded-For` is believed only as far as trusted proxies wrote it: the client is the rightmost address that is not
/// a trusted proxy's. Whatever stands left of it, a client could have made up.
struct TrustedProxies: Sendable {
    let networks: [NetworkAddress.Network]

    /// The client behind `peer`, given the header that came with the request; nil when even the peer has no IP address.
    func client(peer: String, forwardedFor: @autoclosure () -> String?) -> NetworkAddress? {
        guard let address = NetworkAddress(peer) else { return nil }
        guard !networks.isEmpty, isTrusted(address), let header = forwardedFor() else { return address }
        var client = address
        for hop in header.split(separator: ",").reversed() {
            guard let next = NetworkAddress(hop.drop { $0 == " " }.prefix { $0 != " " }) else { return client }
            client = next
            guard isTrusted(next) else { return client }
        }
        return client
    }

    private func isTrusted(_ address: NetworkAddress) -> Bool {
        networks.contains { address.isIn($0) }
    }
}
