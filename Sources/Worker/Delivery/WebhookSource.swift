internal import Crypto
internal import Delivery
internal import EventLoop
internal import Logging
internal import Postgres

/// The tenants' webhooks. Each endpoint is sent its events in order, one batch at a time. The tenant's limit bounds how
/// many of its endpoints are sent to at once.
///
/// `@unchecked Sendable`: `limits` is accessed only on the loop's thread. The pool checks that at each claim, and the
/// engine runs everything else there.
final class WebhookSource: LimitedSource, @unchecked Sendable {
    /// A batch of events for one endpoint.
    struct Job: Sendable {
        let tenant: Int
        /// The tenant's slug, for the log.
        var slug = ""
        let webhook: String
        let url: String
        let sealed: [UInt8]
        /// The id of the batch, the same for every attempt.
        let id: String
        let body: [UInt8]

        /// Each endpoint is a host of its own, because one may hang while the tenant's others do not.
        var destination: DeliveryLimits.Destination { DeliveryLimits.Destination(tenant: tenant, host: webhook) }
    }

    /// The result of a job.
    struct Result: Sendable {
        let job: Job
        let outcome: Outcome

        enum Outcome: Sendable {
            case sent
            case failed(DeliveryError)
            /// The job was not tried, because its endpoint has no capacity.
            case putOff(Duration)
        }
    }

    let name = "deliver_webhooks"
    let capacity = 100
    private let pool: PostgresPool
    private let clock: WallClock
    private let instance: String
    private let masterKey: MasterKey
    private let sender: WebhookSender
    /// A tenant has at most ten endpoints, each of which takes one request at a time.
    var limits = DeliveryLimits(capacity: 100, most: 10)

    init(
        pool: PostgresPool, instance: String, masterKey: MasterKey, sender: WebhookSender
    ) {
        self.pool = pool
        clock = pool.loop.clock
        self.instance = instance
        self.masterKey = masterKey
        self.sender = sender
    }

    var loop: EventLoop { pool.loop }

    func lease(_ claim: DeliveryLimits.Claim) async throws(PostgresError) -> [Job] {
        let rows = try await pool.query(
            Self.claim,
            [
                .instant(clock.now), .int(claim.batch), .int(claim.share), .array(claim.tenants), .array(claim.room),
                .text(instance),
            ], lane: .writes)
        return (0..<rows.rowCount).map { row in
            Job(
                tenant: rows.int(row, 0) ?? 0, slug: rows.string(row, 6) ?? "", webhook: rows.string(row, 1) ?? "",
                url: rows.string(row, 2) ?? "",
                sealed: rows.bytes(row, 3) ?? [], id: rows.string(row, 4) ?? "", body: rows.bytes(row, 5) ?? [])
        }
    }

    func candidate(_ job: Job) -> DeliveryLimits.Candidate {
        DeliveryLimits.Candidate(destination: job.destination)
    }

    func putOff(_ job: Job, for wait: Duration) -> Result {
        Result(job: job, outcome: .putOff(wait))
    }

    func perform(_ job: Job) async -> Result {
        let began = pool.loop.now
        // Only the time counts here. The database pauses an endpoint that fails.
        defer { _ = limits.end(job.destination, .works, began: began, at: pool.loop.now) }
        do throws(DeliveryError) {
            let secrets = try secrets(of: job)
            try await sender.send(job.url, id: job.id, body: job.body, secrets: secrets, at: clock.now)
            return Result(job: job, outcome: .sent)
        } catch {
            error.noteDetail(["tenant": job.slug, "webhook": job.webhook])
            return Result(job: job, outcome: .failed(error))
        }
    }

    func finish(_ results: [Result]) async throws(PostgresError) {
        for result in results {
            var values: [PostgresValue] = [
                .instant(clock.now), .text(instance), .int(result.job.tenant), .text(result.job.webhook),
            ]
            switch result.outcome {
            case .sent: values += [.text("sent"), .null, .null]
            case .putOff(let wait): values += [.text("later"), .int(wait.secondsRoundedUp), .null]
            case .failed(let failure):
                let error = PostgresValue.text(
                    DeliveryResult.line(failure.description, atMost: DeliveryResult.longestError))
                if case .gone = failure.kind {
                    values += [.text("gone"), .null, error]
                } else {
                    values += [.text("retry"), failure.pause.map(PostgresValue.int) ?? .null, error]
                }
            }
            _ = try await pool.query(Self.finish, values, lane: .writes)
        }
    }

    private func secrets(of job: Job) throws(DeliveryError) -> [WebhookSecret] {
        do throws(WebhookSecrets.Unreadable) {
            return try WebhookSecrets(job.sealed, tenant: job.tenant, id: job.webhook, with: masterKey)
                .valid(at: clock.now)
        } catch {
            Log.error("the master key does not open a webhook's secrets", ["webhook": job.webhook])
            throw DeliveryError(error.description)
        }
    }

    private static let claim = PostgresStatement(
        name: "claim_webhooks",
        sql: """
            select tenant_id, id::text, url, sealed, message_id::text, body, \
            (select slug from kith.tenants as tenant where tenant.tenant_id = claimed.tenant_id) \
            from worker.claim_webhooks(\
            $1::timestamptz, $2::integer, $3::integer, $4::integer[], $5::integer[], $6::text) as claimed
            """, hasBinaryResults: true)
    private static let finish = PostgresStatement(
        name: "finish_webhook",
        sql: """
            select worker.finish_webhook(\
            $1::timestamptz, $2::text, $3::integer, $4::uuid, $5::text, $6::integer, $7::text)
            """)
}
