internal import Crypto
internal import Foundation
internal import Glibc

/// Sends pushes to iPhones and iPads over HTTP/2, as many at a time on one connection as APNs allows.
///
/// `@unchecked Sendable`: the token is accessed only on the loop's thread, where transfers are performed and messages
/// sent.
final class APNsChannel: DeliveryChannel, @unchecked Sendable {
    private let settings: APNsSettings
    private let transfers: Transfers
    private let server: String?
    private let timeout: Duration
    private let clock: () -> Int
    private var token: ProviderToken
    /// The name of the connections that only this channel uses. APNs refuses the tokens of two teams or keys on one
    /// connection, and tokens that change too often.
    private let pool = "apns/\(Hex.encode(randomBytes(8)))"
    /// The number of the connection in use. A request that gets no answer moves the channel to the next one, because a
    /// timeout ends a request and not its connection. A connection whose other side is gone would swallow every push.
    private var connection = 1

    /// Creates a channel with a tenant's settings. `server`, if given, replaces both of Apple's servers. `timeout` is
    /// how long an answer may take, and `clock` returns the seconds since 1970.
    init(
        _ settings: APNsSettings, over transfers: Transfers, server: String? = nil, timeout: Duration = .seconds(10),
        clock: @escaping () -> Int = { time(nil) }
    ) {
        self.settings = settings
        self.transfers = transfers
        self.server = server
        self.timeout = timeout
        self.clock = clock
        token = ProviderToken(teamID: settings.teamID, keyID: settings.keyID, key: settings.key)
    }

    /// Sends `message` to the device whose token is its address. Returns the `apns-id`.
    @discardableResult
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        let payload = try APNsPayload.bytes(of: message)
        let sent = try signed { try token.text(at: clock()) }
        switch try await verdict(on: message, payload, sent) {
        case .accepted(let id): return id
        case .refused(let error): throw error
        case .tokenExpired: break
        }
        guard let replacement = try signed({ try token.replacement(for: sent, at: clock()) }) else {
            throw APNsVerdict.expired
        }
        switch try await verdict(on: message, payload, replacement) {
        case .accepted(let id): return id
        case .refused(let error): throw error
        case .tokenExpired: throw APNsVerdict.expired
        }
    }

    /// Returns the token that `token` makes. Signing fails only when OpenSSL has no memory left.
    private func signed<Token>(_ token: () throws -> Token) throws(DeliveryError) -> Token {
        do { return try token() } catch { throw DeliveryError("APNs: \(error)") }
    }

    /// Sends `message` with a token and returns APNs' verdict.
    private func verdict(
        on message: Message, _ payload: [UInt8], _ token: String
    ) async throws(DeliveryError) -> APNsVerdict {
        let transfer = try transfer(of: message, payload, token)
        let used = connection
        do {
            return APNsVerdict(try await transfers.perform(transfer))
        } catch {
            if error == .noAnswer && used == connection { connection += 1 }
            throw DeliveryError(error)
        }
    }

    /// Whether `text` can be a device's token: up to 100 bytes in hexadecimal. Apple's have 32 now, and may become
    /// longer.
    public static func isToken(_ text: String) -> Bool {
        (1...100).contains(Hex.decode(text)?.count ?? 0)
    }

    /// The request for `message` (Apple, "Sending notification requests to APNs").
    func transfer(of message: Message, _ payload: [UInt8], _ token: String) throws(DeliveryError) -> Transfer {
        // The address becomes part of a path, and no device has a token that is not hexadecimal.
        guard Self.isToken(message.address) else {
            throw DeliveryError("APNs: the device's token is not hexadecimal", .gone)
        }
        var headers = [
            ("authorization", "bearer \(token)"),
            ("apns-topic", settings.topic),
            ("apns-push-type", "alert"),
            ("apns-id", message.id),
            // With priority 5 a phone may delay the push to save its battery.
            ("apns-priority", message.isUrgent ? "10" : "5"),
            ("content-type", "application/json"),
        ]
        if let expiresAt = message.expiresAt {
            headers.append(("apns-expiration", "\(expiresAt / 1_000_000)"))
        }
        if let collapseID = message.collapseID { headers.append(("apns-collapse-id", collapseID)) }
        let host =
            message.environment == "sandbox" ? "https://api.sandbox.push.apple.com" : "https://api.push.apple.com"
        var transfer = Transfer(url: "\(server ?? host)/3/device/\(message.address)")
        transfer.headers = headers
        transfer.body = payload
        transfer.httpVersion = .http2
        transfer.timeout = timeout
        transfer.isTrusted = true
        transfer.pool = "\(pool)/\(connection)"
        return transfer
    }
}
