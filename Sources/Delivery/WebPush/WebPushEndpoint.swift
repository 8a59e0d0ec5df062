/// The URL at which a push service takes the messages of one subscription (RFC 8030 §5).
struct WebPushEndpoint {
    let url: String
    /// The origin of the service, as a browser writes it (RFC 6454 §6.2). It is the audience of VAPID tokens.
    let origin: String

    /// Reads the endpoint that a device registered as its token; nil when it is not an `https` URL, which a browser
    /// never registers.
    init?(_ text: String) {
        guard let checked = try? OutboundURL(text) else { return nil }
        url = checked.text
        origin = checked.origin
    }
}
