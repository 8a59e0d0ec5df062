/// Sends webhooks to the URLs that tenants gave.
///
/// `Sendable`: its only state is the client, which checks that it is used on the loop's thread.
public struct WebhookSender: Sendable {
    private let transfers: Transfers

    /// Creates a sender over `transfers`.
    public init(_ transfers: Transfers) {
        self.transfers = transfers
    }

    /// Posts `body` (JSON) to `url`, and returns when the other side has accepted it. Only the status of the answer
    /// matters.
    ///
    /// - Parameters:
    ///   - url: The URL, which is subject to ``OutboundRules``.
    ///   - id: The id, the same for every attempt.
    ///   - body: JSON.
    ///   - secrets: The secrets that sign the request, at least one.
    ///   - instant: The current time, in microseconds since 1970.
    /// - Throws: ``DeliveryError``: `gone` when the other side wants no more requests (410), and a temporary one for
    ///   everything else.
    public func send(
        _ url: String, id: String, body: [UInt8], secrets: [WebhookSecret], at instant: Int64
    ) async throws(DeliveryError) {
        let signature = WebhookSignature.headers(id: id, seconds: instant / 1_000_000, body: body, secrets: secrets)
        // A few bytes of the answer are read, so that the connection can be reused.
        let transfer = Transfer(
            url: url, headers: [("Content-Type", "application/json")] + signature, body: body, maximumAnswer: 4 << 10)
        let answer: TransferAnswer
        do throws(TransferError) {
            answer = try await transfers.perform(transfer)
        } catch {
            // The error is never final: the name can be corrected to mean an allowed address.
            throw DeliveryError(error.description, detail: error.detail)
        }
        switch answer.status {
        case 200..<300: return
        case 410: throw DeliveryError("the endpoint answered 410", .gone)
        default: throw DeliveryError("the endpoint answered \(answer.status)", .retry(after: answer.retryAfter))
        }
    }
}
