internal import Delivery
internal import Logging

/// The result of a delivery, as `worker.finish_deliveries` takes it.
struct DeliveryResult: Encodable, Sendable {
    let tenant_id: Int
    let id: String
    let outcome: Outcome
    var error: String?
    /// In seconds.
    var retry_after: Int?
    var provider_id: String?

    enum Outcome: String, Encodable {
        case sent, retry, failed, gone, later
        case optedOut = "opted_out"
    }

    /// The number of characters of an error that are stored.
    static let longestError = 500
    /// The number of characters that are stored of the id that the provider gave a message.
    private static let longestProviderID = 200

    /// The message was sent. The provider calls it `providerID`.
    init(sent delivery: ClaimedDelivery, as providerID: String?) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        outcome = .sent
        provider_id = providerID.map { Self.line($0, atMost: Self.longestProviderID) }
    }

    /// The message was not sent.
    init(_ delivery: ClaimedDelivery, _ failure: DeliveryError) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        error = Self.line(failure.description, atMost: Self.longestError)
        switch failure.kind {
        case .retry:
            outcome = .retry
            retry_after = failure.pause
        case .final: outcome = .failed
        case .gone: outcome = .gone
        case .optedOut: outcome = .optedOut
        }
    }

    /// The message was not tried, because its destination has no capacity.
    init(putOff delivery: ClaimedDelivery, for wait: Duration) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        outcome = .later
        error = "its push service is slow or accepts nothing: other messages go first"
        retry_after = wait.secondsRoundedUp
    }

    /// Returns the part of `text` that the database can store. A provider may answer with anything, and a single NUL
    /// would make the database refuse the whole batch of results, of every tenant in it.
    static func line(_ text: String, atMost longest: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) where scalar.properties.generalCategory != .control {
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

extension DeliveryError {
    /// Logs the detail that the tenant must not see. `fields` identify the delivery.
    func noteDetail(_ fields: KeyValuePairs<String, String>) {
        guard let detail else { return }
        Log.warning("\(description): \(detail)", fields)
    }

    /// The number of seconds that the other side asked us to wait; nil when it did not say.
    var pause: Int? {
        guard case .retry(let pause?) = kind else { return nil }
        return pause.secondsRoundedUp
    }
}

extension Duration {
    /// The duration in whole seconds, rounded up: a retry that comes too early would be put off once more.
    var secondsRoundedUp: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
