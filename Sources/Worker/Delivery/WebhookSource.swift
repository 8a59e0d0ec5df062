internal import Crypto
internal import Delivery
internal import EventLoop
internal import Logging
internal import Postgres

/// The tenants' own servers, which are sent the events: a batch at a time to each, in order.
///
/// `@unchecked Sendable`: `underWay` is touched on the loop's thread only, which the pool checks at each claim, and where the engine runs
/// all the rest.
final class WebhookSource: DeliverySource, @unchecked Sendable {
    /// A batch of events for one address.
    struct Job: Sendable {
        let tenant: Int
        let webhook: String
        let url: String
        let sealed: [UInt8]
        /// The same for every attempt.
        let id: String
        let body: [UInt8]
    }

    /// What became of one.
    struct Result: Sendable {
        let job: Job
        let failure: DeliveryError?
    }

    let name = "deliver_webhooks"
    let capacity = 50
    let hasRoomAgain = false
    private let pool: PostgresPool
    private let clock: WorkerClock
    private let instance: String
    private let masterKey: MasterKey
    private let sender: WebhookSender
    private var underWay = 0

    init(
        pool: PostgresPool, clock: WorkerClock, instance: String, masterKey: MasterKey, sender: WebhookSender
    ) {
        self.pool = pool
        self.clock = clock
        self.instance = instance
        self.masterKey = masterKey
        self.sender = sender
    }

    func claim() async throws(PostgresError) -> [Job]? {
        guard underWay < capacity else { return nil }
        let rows = try await pool.query(
            Self.claim, [.instant(clock.now), .int(capacity - underWay), .text(instance)], lane: .writes)
        underWay += rows.rowCount
        return (0..<rows.rowCount).map { row in
            Job(
                tenant: rows.int(row, 0) ?? 0, webhook: rows.string(row, 1) ?? "", url: rows.string(row, 2) ?? "",
                sealed: rows.bytes(row, 3) ?? [], id: rows.string(row, 4) ?? "", body: rows.bytes(row, 5) ?? [])
        }
    }

    func perform(_ job: Job) async -> Result {
        defer { underWay -= 1 }
        do throws(DeliveryError) {
            try await sender.send(
                job.url, id: job.id, body: job.body, secrets: try secrets(of: job), at: clock.now)
            return Result(job: job, failure: nil)
        } catch {
            error.noteDetail(["tenant": "\(job.tenant)", "webhook": job.webhook])
            return Result(job: job, failure: error)
        }
    }

    func finish(_ results: [Result]) async throws(PostgresError) {
        for result in results {
            var values: [PostgresValue] = [
                .instant(clock.now), .text(instance), .int(result.job.tenant), .text(result.job.webhook),
            ]
            if let failure = result.failure {
                let error = PostgresValue.text(String(failure.description.prefix(DeliveryResult.longestError)))
                if case .gone = failure.kind {
                    values += [.text("gone"), .null, error]
                } else {
                    values += [.text("retry"), failure.pause.map(PostgresValue.int) ?? .null, error]
                }
            } else {
                values += [.text("sent"), .null, .null]
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
            select tenant_id, id::text, url, sealed, message_id::text, body \
            from worker.claim_webhooks($1::timestamptz, $2::integer, $3::text)
            """, hasBinaryResults: true)
    private static let finish = PostgresStatement(
        name: "finish_webhook",
        sql: """
            select worker.finish_webhook(\
            $1::timestamptz, $2::text, $3::integer, $4::uuid, $5::text, $6::integer, $7::text)
            """)
}
