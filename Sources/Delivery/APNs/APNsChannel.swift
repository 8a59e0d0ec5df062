internal import Crypto
internal import Foundation
internal import Glibc

/// Pushes to iPhones and iPads over HTTP/2, as many at a time on one connection as APNs allows.
///
/// `@unchecked Sendable`: the token is touched on the loop's thread only, where the transfers are performed and messages sent.
final class APNsChannel: DeliveryChannel, @unchecked Sendable {
    private let settings: APNsSettings
    private let transfers: Transfers
    private let server: String?
    private let timeout: Duration
    private let clock: () -> Int
    private var token: ProviderToken
    /// Our connections' alone: APNs refuses the tokens of two teams or keys on one connection, and tokens that change too often.
    private let pool = "apns/\(Hex.encode(randomBytes(8)))"
    /// Which of our connections is in use. The next one is made when an answer stays out: a time-out ends a request and not its connection,
    /// and one behind which nobody is left would swallow every push.
    private var connection = 1

    /// A channel with a tenant's settings. `server` stands in for both of Apple's when it is given; `timeout` is how long an answer may
    /// take, and `clock` gives the seconds since 1970.
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

    /// Sends `message` to the device whose token its address is; gives the `apns-id`.
    @discardableResult
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        let payload = try APNsPayload.bytes(of: message)
        let sent = try signed { try token.text(at: clock()) }
        switch try await verdict(on: message, payload, sent) {
        case .taken(let id): return id
        case .refused(let error): throw error
        case .tokenExpired: break
        }
        guard let replacement = try signed({ try token.replacement(for: sent, at: clock()) }) else {
            throw APNsVerdict.expired
        }
        switch try await verdict(on: message, payload, replacement) {
        case .taken(let id): return id
        case .refused(let error): throw error
        case .tokenExpired: throw APNsVerdict.expired
        }
    }

    /// A token, or that none could be made: OpenSSL has no memory left.
    private func signed<Token>(_ token: () throws -> Token) throws(DeliveryError) -> Token {
        do { return try token() } catch { throw DeliveryError("APNs: \(error)") }
    }

    /// What APNs says to `message` with a token.
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

    /// The request for `message` (Apple, "Sending notification requests to APNs").
    func transfer(of message: Message, _ payload: [UInt8], _ token: String) throws(DeliveryError) -> Transfer {
        // It becomes part of a path, and what is not hexadecimal no device ever got.
        guard (1...100).contains(Hex.decode(message.address)?.count ?? 0) else {
            throw DeliveryError("APNs: the device's token is not hexadecimal", .gone)
        }
        var headers = [
            ("authorization", "bearer \(token)"),
            ("apns-topic", settings.topic),
            ("apns-push-type", "alert"),
            ("apns-id", message.id),
            // 5 lets a phone wait for a better moment for its battery.
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
