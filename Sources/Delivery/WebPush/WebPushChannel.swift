internal import Crypto
internal import Glibc

/// Sends pushes to browsers (RFC 8030), through the push service of each browser.
///
/// `@unchecked Sendable`: the tokens are accessed only on the loop's thread, where transfers are performed and messages
/// sent.
final class WebPushChannel: DeliveryChannel, @unchecked Sendable {
    /// The longest that services keep a message, in seconds: 28 days.
    private static let longest: Int64 = 28 * 86400

    private let transfers: Transfers
    private let clock: () -> Int
    private var tokens: VAPIDTokens

    /// Creates a channel with a tenant's settings. `clock` returns the seconds since 1970.
    init(_ settings: WebPushSettings, over transfers: Transfers, clock: @escaping () -> Int = { time(nil) }) {
        self.transfers = transfers
        self.clock = clock
        tokens = VAPIDTokens(subject: settings.subject, key: settings.key)
    }

    /// Sends `message` to the subscription whose endpoint is its address. Returns the service's id of the message.
    @discardableResult
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        let answer: TransferAnswer
        let transfer = try transfer(of: message)
        do {
            answer = try await transfers.perform(transfer)
        } catch {
            throw DeliveryError(error)
        }
        // RFC 8030 §5 requires 201. Some services answer 200 or 202.
        if (200..<300).contains(answer.status) { return answer.headers["location"].map { String($0.prefix(200)) } }
        throw Self.error(answer)
    }

    /// The request for `message` (RFC 8030 §5, RFC 8291 §4, RFC 8292 §3).
    func transfer(of message: Message) throws(DeliveryError) -> Transfer {
        let now = clock()
        let content = try WebPushPayload.bytes(of: message)
        guard let endpoint = WebPushEndpoint(message.address) else {
            throw DeliveryError("Web Push: the device's endpoint is not an https URL", .gone)
        }
        let body: [UInt8]?
        let authorization: String
        do {
            body = try message.webPushKeys.flatMap {
                try WebPushEncryption.encrypt(content, for: $0, key: .generate(), salt: randomBytes(16))
            }
            authorization = try tokens.authorization(for: endpoint.origin, at: now)
        } catch {
            throw DeliveryError("Web Push: \(error)")
        }
        guard let body else { throw DeliveryError("Web Push: the device's keys are not a subscription's", .gone) }
        let left = message.expiresAt.map { $0 / 1_000_000 - Int64(now) } ?? Self.longest
        var transfer = Transfer(url: endpoint.url)
        transfer.headers = [
            ("authorization", authorization),
            ("content-type", "application/octet-stream"),
            ("content-encoding", "aes128gcm"),
            ("ttl", "\(min(max(0, left), Self.longest))"),
            ("urgency", message.isUrgent ? "high" : "normal"),
        ]
        if let collapseID = message.collapseID {
            // A topic has at most 32 characters of base64url (RFC 8030 §5.4). The hash hides the collapse id from the
            // service.
            transfer.headers.append(("topic", String(Base64URL.encode(sha256(collapseID.utf8)).prefix(32))))
        }
        transfer.body = body
        transfer.httpVersion = .http2
        return transfer
    }

    /// The error that an answer other than success means.
    static func error(_ answer: TransferAnswer) -> DeliveryError {
        let (reason, kind): (String, DeliveryError.Kind) =
            switch answer.status {
            case 404, 410: ("the subscription has ended", .gone)
            case 413: ("the message is too long", .final)
            // The service rejected the token: its clock or ours is wrong, or the subscription was made with another
            // key.
            case 401, 403: ("the VAPID token was refused", .retry(after: answer.retryAfter))
            // Microsoft's service answers 406 when it gets too many requests.
            case 406, 408, 429: ("too many requests", .retry(after: answer.retryAfter))
            case 500...: ("the push service is out of order", .retry(after: answer.retryAfter))
            default: ("the push service refused the message", .final)
            }
        // The users of a tenant share the few services of browsers. A client error concerns one subscription and its
        // sender, and so does the limit of a 429 (RFC 8030 §8.4). One user's devices must not keep the pushes of the
        // others from being sent.
        return DeliveryError(
            "Web Push: \(answer.status), \(reason)", kind, concernsMessageAlone: (400..<500).contains(answer.status))
    }
}
