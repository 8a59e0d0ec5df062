internal import Delivery

/// What became of a delivery, as `worker.finish_deliveries` takes it.
struct DeliveryResult: Encodable, Sendable {
    let tenant_id: Int
    let id: String
    let outcome: Outcome
    var error: String?
    /// Seconds.
    var retry_after: Int?
    var provider_id: String?

    enum Outcome: String, Encodable {
        case sent, retry, failed, gone
    }

    /// What is kept of an error.
    static let longestError = 500

    /// It was sent, and is called `providerID` there.
    init(sent delivery: ClaimedDelivery, as providerID: String?) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        outcome = .sent
        provider_id = providerID
    }

    /// It was not sent.
    init(_ delivery: ClaimedDelivery, _ failure: DeliveryError) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        error = String(failure.description.prefix(Self.longestError))
        switch failure.kind {
        case .retry:
            outcome = .retry
            retry_after = failure.pause
        case .final: outcome = .failed
        case .gone: outcome = .gone
        }
    }
}

extension DeliveryError {
    /// For how many seconds the other side wants to be left alone; nil where it does not say.
    var pause: Int? {
        guard case .retry(let pause?) = kind else { return nil }
        return Int(pause.components.seconds)
    }
}
