/// Where what a tenant gave an address for may go: to the Internet, encrypted.
///
/// Whoever can make a server send requests can otherwise reach what only that server reaches: its database, its neighbours, the
/// cloud's metadata service. The address that counts is the one that a socket is made for: a name may mean one address when it
/// is checked and another when it is used.
public struct OutboundRules: Sendable {
    /// Blocks that may be reached although they are not public, without encryption too: an operator's own, and a test's.
    let allowed: [AddressBlock]
    /// The file of the certificate authorities that count, in PEM; nil for those of the system.
    let certificates: String?

    /// Rules from their parts.
    public init(allowed: [AddressBlock] = [], certificates: String? = nil) {
        self.allowed = allowed
        self.certificates = certificates
    }

    /// Whether a socket may be connected to `address`.
    func permits(_ address: IPAddress, encrypted: Bool) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if let embedded = address.embedded, allowed.contains(where: { $0.contains(embedded) }) { return true }
        return encrypted && address.isPublic
    }

    /// The scheme of `url` in lower case, when it may be tried; where it leads shows when a socket is made.
    ///
    /// - Throws: A final ``TransferError``.
    func check(_ url: String, isTrusted: Bool, isMail: Bool) throws(TransferError) -> String {
        let parts = URLParts(url)
        guard let parts, !parts.host.isEmpty else { throw TransferError("the address is no URL", isFinal: true) }
        guard !parts.hasUser else { throw TransferError("the URL holds a user name", isFinal: true) }
        let schemes = isMail ? ["smtp", "smtps"] : isTrusted || !allowed.isEmpty ? ["https", "http"] : ["https"]
        guard schemes.contains(parts.scheme) else {
            throw TransferError("the scheme of the URL is not \(schemes.joined(separator: " or "))", isFinal: true)
        }
        return parts.scheme
    }
}
