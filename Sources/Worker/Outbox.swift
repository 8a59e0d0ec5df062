public import Crypto
public import Delivery
internal import EventLoop
public import Postgres

/// Delivers notifications: it plans the channels of each notification, sends what is due on every channel, and sends
/// events to the tenants' webhooks. Delivery is at least once: when a worker dies, another one sends what it had
/// claimed, a minute later.
///
/// `@unchecked Sendable`: it has no mutable state of its own. Its engines live on the loop's thread.
public final class Outbox: @unchecked Sendable {
    /// How messages leave.
    public enum Route: Sendable {
        /// Each tenant's own providers. `apnsServer`, if given, replaces Apple's servers.
        case channels(apnsServer: String?)
        /// One sink for all messages of every tenant.
        case sink(any DeliveryChannel)
    }

    let engines: [any Engine]
    let planners: [WorkerLoop]

    /// Creates an outbox over `pool` that sends by `route`. `masterKey` opens the secrets in messages and the
    /// credentials of the tenants' providers. `publicURL` is the address of the server, for the links in messages.
    public init(
        pool: PostgresPool, masterKey: MasterKey, publicURL: String, route: Route, transfers: Transfers,
        instance: String
    ) {
        let resolver: any ChannelResolver =
            switch route {
            case .channels(let apnsServer):
                TenantChannels(pool: pool, masterKey: masterKey, transfers: transfers, apnsServer: apnsServer)
            case .sink(let sink): SingleChannel(sink: sink)
            }
        var engines: [any Engine] = Self.capacities.map { channel, capacity in
            DeliveryEngine(
                ChannelSource(
                    channel, capacity: capacity, pool: pool, instance: instance, masterKey: masterKey,
                    publicURL: publicURL, resolver: resolver), loop: pool.loop)
        }
        engines.append(
            DeliveryEngine(
                WebhookSource(
                    pool: pool, instance: instance, masterKey: masterKey,
                    sender: WebhookSender(transfers)), loop: pool.loop))
        self.engines = engines
        let takesAll = if case .sink = route { true } else { false }
        planners = WorkerLoop.planners(takesAll: takesAll) { [engines] in for engine in engines { engine.wake() } }
    }

    /// How many messages may be in flight at once on each channel. E-mail, SMS and calls have fewer because each needs
    /// a connection of its own. Pushes share connections, but libcurl's cost per push grows with the number in flight:
    /// twice as much at 500 as at 100.
    private static let capacities = [("apns", 200), ("web_push", 200), ("email", 50), ("sms", 50), ("voice", 20)]
}
