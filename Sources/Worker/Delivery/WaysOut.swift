internal import Delivery

/// What knows how a tenant's messages leave Kith on a channel.
protocol WaysOut: Sendable {
    /// The way of `tenant` on `channel`.
    ///
    /// - Throws: `DeliveryError` when there is none for now.
    func way(of tenant: Int, _ channel: String) async throws(DeliveryError) -> any DeliveryChannel
    /// Keeps for an operator why the tenant's provider takes nothing; nil when it does again.
    func note(_ error: String?, of tenant: Int, _ channel: String, at now: Int64) async
}

/// One way for everything, whoever's it is.
struct OneWay: WaysOut {
    let sink: any DeliveryChannel

    func way(of tenant: Int, _ channel: String) async throws(DeliveryError) -> any DeliveryChannel { sink }
    func note(_ error: String?, of tenant: Int, _ channel: String, at now: Int64) async {}
}
