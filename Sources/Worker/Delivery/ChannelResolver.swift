internal import Delivery

/// Finds the provider that sends a tenant's messages on a channel.
protocol ChannelResolver: Sendable {
    /// Returns the provider of `tenant` on `channel`.
    ///
    /// - Throws: `DeliveryError` when there is none at the moment.
    func channel(of tenant: Int, _ channel: String) async throws(DeliveryError) -> any DeliveryChannel
    /// Records for operators why the tenant's provider accepts no messages, and for how long it is sent none; nil when
    /// it accepts messages again.
    func note(_ error: String?, of tenant: Int, _ channel: String, pause: Duration?, at now: Int64) async
}

/// One sink for the messages of every tenant and channel.
struct SingleChannel: ChannelResolver {
    let sink: any DeliveryChannel

    func channel(of tenant: Int, _ channel: String) async throws(DeliveryError) -> any DeliveryChannel { sink }
    func note(_ error: String?, of tenant: Int, _ channel: String, pause: Duration?, at now: Int64) async {}
}
