public import NetworkAddresses

/// The rules for requests to addresses that tenants and users gave: they go to the public Internet, and are encrypted.
///
/// Without such rules, a request could reach what only this server can reach: its database, its neighbours, the cloud's
/// metadata service. The rules check the address that a socket connects to, because a name may resolve to one address
/// when it is checked and to another when it is used.
public struct OutboundRules: Sendable {
    /// Blocks that may be reached although they are not public, and without encryption. They serve an operator's own
    /// servers and tests.
    let allowed: [AddressBlock]
    /// The file of the trusted certificate authorities, in PEM; nil for those of the system.
    public let certificates: String?

    /// Creates rules from their parts.
    public init(allowed: [AddressBlock] = [], certificates: String? = nil) {
        self.allowed = allowed
        self.certificates = certificates
    }

    /// Whether a socket may be connected to `address`. Trusted transfers do not ask (``Transfer/isTrusted``).
    func permits(_ address: NetworkAddress, encrypted: Bool) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if let embedded = address.embedded, allowed.contains(where: { $0.contains(embedded) }) { return true }
        return encrypted && address.isPublic
    }

    /// Returns the scheme of `url` in lower case if the URL may be tried. The destination is checked when a socket
    /// connects.
    ///
    /// - Throws: A final ``TransferError``.
    func check(_ url: String, isTrusted: Bool, isMail: Bool) throws(TransferError) -> String {
        guard let parts = URLParts(url), !parts.host.isEmpty else {
            throw TransferError("the address is not a URL", isFinal: true)
        }
        guard !parts.hasUser else { throw TransferError("the URL contains a user name", isFinal: true) }
        let mayBePlain = isTrusted || !allowed.isEmpty
        let schemes =
            if isMail { ["smtp", "smtps"] } else if mayBePlain { ["https", "http"] } else { ["https"] }
        guard schemes.contains(parts.scheme) else {
            throw TransferError("the scheme of the URL is not \(schemes.joined(separator: " or "))", isFinal: true)
        }
        return parts.scheme
    }
}
