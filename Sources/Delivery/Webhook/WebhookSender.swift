/// Sends webhooks to the addresses that tenants gave.
///
/// `Sendable`: it has no state but the client, which checks that it is used on the loop's thread.
public struct WebhookSender: Sendable {
    private let transfers: Transfers

    /// A sender over `transfers`.
    public init(_ transfers: Transfers) {
        self.transfers = transfers
    }

    /// Posts `body` (JSON) to `url`, and returns when the other side has taken it. What it answers beside the status is not looked at.
    ///
    /// - Parameters:
    ///   - url: Where it goes, held to ``OutboundRules``.
    ///   - id: The same for every attempt.
    ///   - body: JSON.
    ///   - secrets: At least one.
    ///   - instant: Now, in microseconds since 1970.
    /// - Throws: ``DeliveryError``: `gone` when the other side wants no more of them (410), and one that passes for everything else.
    public func send(
        _ url: String, id: String, body: [UInt8], secrets: [WebhookSecret], at instant: Int64
    ) async throws(DeliveryError) {
        let signature = WebhookSignature.headers(id: id, seconds: instant / 1_000_000, body: body, secrets: secrets)
        // A few bytes of an answer are read so that its connection can be used again.
        let transfer = Transfer(
            url: url, headers: [("Content-Type", "application/json")] + signature, body: body, maximumAnswer: 4 << 10)
        let answer: TransferAnswer
        do throws(TransferError) {
            answer = try await transfers.perform(transfer)
        } catch {
            // Never final: a name can be mended so that it means an allowed address.
            throw DeliveryError(error.description, detail: error.detail)
        }
        switch answer.status {
        case 200..<300: return
        case 410: throw DeliveryError("the endpoint answered 410", .gone)
        default: throw DeliveryError("the endpoint answered \(answer.status)", .retry(after: answer.retryAfter))
        }
    }
}
