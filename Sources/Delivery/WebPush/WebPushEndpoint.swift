/// Where a push service takes the messages of one subscription (RFC 8030 §5).
struct WebPushEndpoint {
    let url: String
    /// Of the service, as a browser writes it (RFC 6454 §6.2): whom a token is for.
    let origin: String

    /// The endpoint that a device has for a token; nil for what is no `https` URL, which nothing that a browser gave is.
    init?(_ text: String) {
        guard let parts = URLParts(text), parts.scheme == "https", !parts.host.isEmpty, !parts.hasUser else {
            return nil
        }
        url = text
        let port = parts.port.flatMap { $0 == "443" ? nil : ":\($0)" } ?? ""
        origin = "https://\(parts.host.lowercased())\(port)"
    }
}
