/// The URL at which a push service takes the messages of one subscription (RFC 8030 §5).
struct WebPushEndpoint {
    let url: String
    /// The origin of the service, as a browser writes it (RFC 6454 §6.2). It is the audience of VAPID tokens.
    let origin: String

    /// Reads the endpoint that a device registered as its token; nil when it is not an `https` URL, which a browser
    /// never registers.
    init?(_ text: String) {
        guard let parts = URLParts(text), parts.scheme == "https", !parts.host.isEmpty, !parts.hasUser else {
            return nil
        }
        url = text
        let port = parts.port.flatMap { $0 == "443" ? nil : ":\($0)" } ?? ""
        origin = "https://\(parts.host.lowercased())\(port)"
    }
}
