public import Crypto
public import Delivery
internal import EventLoop
public import Postgres

/// Brings to people what the database holds for them: plans which news goes which way, sends what is due on every channel, and tells the
/// tenants' own servers. At least once: what a worker that dies had in hand is sent by another, a minute later.
///
/// `@unchecked Sendable`: it changes nothing of its own; its engines live on the loop's thread.
public final class Outbox: @unchecked Sendable {
    /// Where messages go.
    public enum Way: Sendable {
        /// To the tenants' own providers. `apnsServer` stands in for Apple's servers where it is given.
        case channels(apnsServer: String?)
        /// All of them to one place, whoever's they are.
        case sink(any DeliveryChannel)
    }

    let engines: [any Engine]
    let planner: WorkerLoop

    /// An outbox over `pool` that sends by `way`. `masterKey` opens the secrets in messages, and the credentials of the tenants' providers.
    public init(
        pool: PostgresPool, masterKey: MasterKey, way: Way, transfers: Transfers, instance: String
    ) {
        let resolver: any ChannelResolver =
            switch way {
            case .channels(let apnsServer):
                TenantChannels(pool: pool, masterKey: masterKey, transfers: transfers, apnsServer: apnsServer)
            case .sink(let sink): SingleChannel(sink: sink)
            }
        var engines: [any Engine] = Self.capacities.map { channel, capacity in
            DeliveryEngine(
                ChannelSource(
                    channel, capacity: capacity, pool: pool, instance: instance, masterKey: masterKey,
                    resolver: resolver), loop: pool.loop)
        }
        engines.append(
            DeliveryEngine(
                WebhookSource(
                    pool: pool, instance: instance, masterKey: masterKey,
                    sender: WebhookSender(transfers)), loop: pool.loop))
        self.engines = engines
        let takesAll = if case .sink = way { true } else { false }
        planner = WorkerLoop.planner(takesAll: takesAll) { [engines] in for engine in engines { engine.wake() } }
    }

    /// How many messages may be under way at once on each channel. Connections of their own cost much; and what libcurl spends on a push
    /// grows with those under way, twice as much at 500 as at 100.
    private static let capacities = [("apns", 200), ("web_push", 200), ("email", 50), ("sms", 50)]
}
