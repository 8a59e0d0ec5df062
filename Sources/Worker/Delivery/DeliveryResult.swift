internal import Delivery
internal import Logging

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
        case sent, retry, failed, gone, later
    }

    /// What is kept of an error.
    static let longestError = 500
    /// What is kept of a name that the other side gave a message.
    private static let longestProviderID = 200

    /// It was sent, and is called `providerID` there.
    init(sent delivery: ClaimedDelivery, as providerID: String?) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        outcome = .sent
        provider_id = providerID.map { Self.line($0, atMost: Self.longestProviderID) }
    }

    /// It was not sent.
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
        }
    }

    /// It was not tried, because where it goes has no room.
    init(putOff delivery: ClaimedDelivery, for wait: Duration) {
        tenant_id = delivery.tenant
        id = delivery.message.id
        outcome = .later
        error = "its push service is slow or takes nothing: others go first"
        retry_after = wait.secondsRoundedUp
    }

    /// What the database can keep of `text`: a provider may answer with anything, and a single NUL would have the database refuse the
    /// results of every tenant that are recorded with it.
    private static func line(_ text: String, atMost longest: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) where scalar.properties.generalCategory != .control {
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

extension DeliveryError {
    /// Says in the log what the tenant is not told. `fields` say whose it is.
    func noteDetail(_ fields: KeyValuePairs<String, String>) {
        guard let detail else { return }
        Log.warning("\(description): \(detail)", fields)
    }

    /// For how many seconds the other side wants to be left alone; nil where it does not say.
    var pause: Int? {
        guard case .retry(let pause?) = kind else { return nil }
        return pause.secondsRoundedUp
    }
}

extension Duration {
    /// In whole seconds, and none too few: what comes back before the time is put off once more.
    var secondsRoundedUp: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
