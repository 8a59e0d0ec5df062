internal import Crypto
internal import Delivery
internal import EventLoop
internal import Foundation
internal import Logging
internal import Postgres

/// The deliveries of one channel. It claims them within each tenant's limit, sends them through the tenant's provider,
/// and records the results.
///
/// `@unchecked Sendable`: `limits` and `working` are accessed only on the loop's thread. The pool checks that at each
/// claim, and the engine runs everything else there.
final class ChannelSource: LimitedSource, @unchecked Sendable {
    let name: String
    let capacity: Int
    private let channel: String
    private let pool: PostgresPool
    private let clock: WallClock
    private let instance: String
    private let masterKey: MasterKey
    private let publicURL: String
    private let resolver: any ChannelResolver
    var limits: DeliveryLimits
    /// The tenants whose provider accepted the last message here, as the database knows.
    private var working: Set<Int> = []
    /// When the database was last asked for tests by operators.
    private var askedForTestsAt: ContinuousClock.Instant?
    private static let testsInterval = Duration.seconds(5)

    init(
        _ channel: String, capacity: Int, pool: PostgresPool, instance: String,
        masterKey: MasterKey, publicURL: String,
        resolver: any ChannelResolver
    ) {
        name = "deliver_\(channel)"
        self.channel = channel
        self.capacity = capacity
        self.pool = pool
        clock = pool.loop.clock
        self.instance = instance
        self.masterKey = masterKey
        self.publicURL = publicURL
        self.resolver = resolver
        limits = DeliveryLimits(capacity: capacity)
    }

    var loop: EventLoop { pool.loop }

    func lease(_ claim: DeliveryLimits.Claim) async throws(PostgresError) -> [ClaimedDelivery] {
        let rows = try await pool.query(
            ClaimedDelivery.claim,
            [
                .instant(clock.now), .text(channel), .int(claim.batch), .int(claim.share), .int(claim.after),
                .array(claim.tenants), .array(claim.room), .text(instance),
            ], lane: .writes)
        var deliveries = (0..<rows.rowCount).map { ClaimedDelivery(rows, $0, publicURL: publicURL) }
        try await setLinks(in: &deliveries)
        return deliveries
    }

    /// Puts the links by which people act without a sign-in into the messages that ask them, and makes the links valid.
    /// If that fails, the leases run out, and the messages are claimed again.
    private func setLinks(in deliveries: inout [ClaimedDelivery]) async throws(PostgresError) {
        var (checkIns, alarms) = (Links(), Links())
        for index in deliveries.indices {
            let (tenant, address) = (deliveries[index].tenant, deliveries[index].message.address)
            for purpose in deliveries[index].links {
                guard let link = try? MessageLink(tenant: tenant, purpose, address: address, masterKey) else {
                    continue
                }
                deliveries[index].set(link, for: purpose, publicURL: publicURL)
                switch purpose {
                case .checkIn(let user, let date): checkIns.append(link, user, date)
                case .alarm(let alarm, let receiver): alarms.append(link, alarm, receiver)
                }
            }
        }
        try await keep(checkIns, by: Self.keepCheckInLinks)
        try await keep(alarms, by: Self.keepAlarmLinks, [.text(channel)])
    }

    /// Links of one kind with the two values that each is about, as arrays of PostgreSQL have them.
    private struct Links {
        private(set) var tenants: [Int] = []
        private(set) var first: [String] = []
        private(set) var second: [String] = []
        private(set) var hashes: [String] = []

        mutating func append(_ link: MessageLink, _ first: String, _ second: String) {
            tenants.append(link.tenantID)
            self.first.append(first)
            self.second.append(second)
            hashes.append("\\x" + Hex.encode(link.hash))
        }
    }

    private func keep(
        _ links: Links, by statement: PostgresStatement, _ more: [PostgresValue] = []
    ) async throws(PostgresError) {
        guard !links.tenants.isEmpty else { return }
        let values: [PostgresValue] = [
            .array(links.tenants), .array(links.first), .array(links.second), .array(links.hashes),
        ]
        _ = try await pool.query(statement, values + more + [.instant(clock.now)], lane: .writes)
    }

    /// Tries providers again that accepted nothing, and that have passed an operator's test since
    /// (`kith tenant channel test`).
    func noticeTests() async {
        let now = pool.loop.now
        guard askedForTestsAt.map({ now - $0 >= Self.testsInterval }) ?? true else { return }
        let paused = limits.paused(at: now)
        guard !paused.isEmpty else { return }
        askedForTestsAt = now
        // A test is noticed some seconds later, and an older one says nothing of a provider that has failed since.
        let since = clock.now - 10_000_000
        guard
            let answer = try? await pool.query(
                Self.tests, [.text(channel), .array(paused), .instant(since)], lane: .upkeep)
        else { return }
        for row in 0..<answer.rowCount {
            if let tenant = answer.int(row, 0) { limits.tryNow(tenant, at: pool.loop.now) }
        }
    }

    func candidate(_ delivery: ClaimedDelivery) -> DeliveryLimits.Candidate {
        DeliveryLimits.Candidate(destination: delivery.destination, isUrgent: delivery.message.isUrgent)
    }

    func putOff(_ delivery: ClaimedDelivery, for wait: Duration) -> DeliveryResult {
        DeliveryResult(putOff: delivery, for: wait)
    }

    func perform(_ delivery: ClaimedDelivery) async -> DeliveryResult {
        let began = pool.loop.now
        let (result, verdict) = await attempt(delivery)
        for change in limits.end(delivery.destination, verdict, began: began, at: pool.loop.now) {
            note(change, delivery, result.error)
        }
        await show(verdict, of: delivery.tenant, result.error)
        return result
    }

    func finish(_ results: [DeliveryResult]) async throws(PostgresError) {
        guard let json = try? JSONEncoder().encode(results) else { preconditionFailure("texts and numbers are JSON") }
        _ = try await pool.query(
            Self.finish, [.instant(clock.now), .text(instance), .bytes(Array(json))], lane: .writes)
    }

    private func attempt(_ delivery: ClaimedDelivery) async -> (DeliveryResult, DeliveryLimits.Verdict) {
        let message: Message
        do throws(CryptoError) {
            message = try delivery.opened(with: masterKey)
        } catch {
            // Another worker may have the right key, and so may this one after a restart.
            Log.error("the master key does not open a message", ["delivery": delivery.message.id])
            return (DeliveryResult(delivery, DeliveryError("the master key does not open it", .retry())), .unknown)
        }
        let provider: any DeliveryChannel
        do throws(DeliveryError) {
            provider = try await resolver.channel(of: delivery.tenant, channel)
        } catch {
            return (DeliveryResult(delivery, error), .fails(pause: nil))
        }
        do throws(DeliveryError) {
            return (DeliveryResult(sent: delivery, as: try await provider.send(message)), .works)
        } catch {
            error.noteDetail(["tenant": delivery.slug, "delivery": message.id])
            return (DeliveryResult(delivery, error), DeliveryLimits.Verdict(error, to: delivery.destination))
        }
    }

    /// Lets the tenant and the operator see whether the provider accepts messages. They see the first failure, since
    /// whoever sets up a provider waits for it, and the first message that is accepted after a failure or after the
    /// start of this process.
    private func show(_ verdict: DeliveryLimits.Verdict, of tenant: Int, _ error: String?) async {
        switch verdict {
        case .fails:
            working.remove(tenant)
            let pause = limits.pause(of: tenant, at: pool.loop.now)
            await resolver.note(error, of: tenant, channel, pause: pause, at: clock.now)
        case .works:
            guard working.insert(tenant).inserted else { return }
            await resolver.note(nil, of: tenant, channel, pause: nil, at: clock.now)
        case .hostFails, .unknown: break
        }
    }

    /// Logs that a tenant's provider or a host has stopped accepting messages, or accepts them again.
    private func note(_ change: DeliveryLimits.Change, _ delivery: ClaimedDelivery, _ error: String?) {
        let (slug, host) = (delivery.slug, delivery.destination.host ?? "")
        switch change {
        case .opened:
            Log.error("a provider accepts no messages", ["tenant": slug, "channel": channel, "error": error ?? ""])
        case .closed:
            Log.info("a provider accepts messages again", ["tenant": slug, "channel": channel])
        case .hostOpened:
            Log.warning(
                "a host accepts no messages",
                ["tenant": slug, "channel": channel, "host": host, "error": error ?? ""])
        case .hostClosed:
            Log.info("a host accepts messages again", ["tenant": slug, "channel": channel, "host": host])
        }
    }

    private static let tests = PostgresStatement(
        name: "tested_channels",
        sql: "select unnest(worker.tested_channels($1::text, $2::integer[], $3::timestamptz))")
    private static let keepAlarmLinks = PostgresStatement(
        name: "keep_alarm_links",
        sql: """
            select worker.keep_alarm_links($1::integer[], $2::uuid[], $3::uuid[], $4::bytea[], $5::text, $6::timestamptz)
            """)
    private static let keepCheckInLinks = PostgresStatement(
        name: "keep_check_in_links",
        sql: "select worker.keep_check_in_links($1::integer[], $2::uuid[], $3::date[], $4::bytea[], $5::timestamptz)")
    private static let finish = PostgresStatement(
        name: "finish_deliveries", sql: "select worker.finish_deliveries($1::timestamptz, $2::text, $3::jsonb)")
}
