internal import Postgres

/// One of the worker's loops: what does one batch and says how much it did, and how often it is asked.
struct WorkerLoop: Sendable {
    /// What does a batch.
    enum Work: Sendable {
        case procedure(PostgresStatement)
        /// Sending what the outbox holds, which no procedure can.
        case outbox(Outbox)
    }

    let name: String
    let work: Work
    /// The size of a batch; nil for a procedure that does everything at once.
    let batch: Int?
    /// Whether it rests after each batch as long as that took: what nobody waits for leaves the disk and a processor to those
    /// who do, a check-in first of all.
    let yields: Bool
    /// How long the loop rests when there is nothing to do.
    let pause: Duration
    /// Whether it throws away what time has made worthless: with another clock than the wall's it must not.
    let needsWallClock: Bool

    private init(
        _ procedure: String, batch: Int?, every pause: Duration, yields: Bool = false, needsWallClock: Bool = false
    ) {
        name = procedure
        self.yields = yields
        self.needsWallClock = needsWallClock
        work = .procedure(
            PostgresStatement(
                name: procedure,
                sql: batch == nil
                    ? "select worker.\(procedure)($1::timestamptz)"
                    : "select worker.\(procedure)($1::timestamptz, $2::integer)"))
        self.batch = batch
        self.pause = pause
    }

    /// The loop that sends what the outbox holds. A batch is what is under way at once; it must be done within the lease.
    init(_ outbox: Outbox) {
        name = "deliver"
        yields = false
        needsWallClock = false
        work = .outbox(outbox)
        batch = 50
        pause = .seconds(1)
    }

    /// Every loop, in the order in which one pass runs them: who is to have no pings is settled before a day's are made; they
    /// are made before they come due, come due before the sender is reminded, and are missed last.
    ///
    /// Batches are small enough that a transaction takes well under a second, so that a crash costs little and nobody waits
    /// long behind one.
    static let all = [
        WorkerLoop("make_partitions", batch: nil, every: .seconds(3600)),
        WorkerLoop("drop_events", batch: nil, every: .seconds(3600), needsWallClock: true),
        WorkerLoop("turn_breaks", batch: 1000, every: .seconds(5)),
        WorkerLoop("settle_subscriptions", batch: 1000, every: .seconds(10)),
        WorkerLoop("generate_daily_pings", batch: 5000, every: .seconds(5), yields: true),
        WorkerLoop("announce_due_pings", batch: 2000, every: .seconds(1)),
        WorkerLoop("remind_senders", batch: 2000, every: .seconds(1)),
        WorkerLoop("miss_pings", batch: 2000, every: .seconds(1)),
        WorkerLoop("find_gaps", batch: 5000, every: .seconds(3600)),
        WorkerLoop("lock_expired_sessions", batch: 200, every: .seconds(1)),
        WorkerLoop("drop_expired_deliveries", batch: 1000, every: .seconds(5)),
        WorkerLoop("alarm_operator", batch: 100, every: .seconds(5)),
        WorkerLoop("sweep_sign_in", batch: 1000, every: .seconds(60)),
        WorkerLoop("sweep_invitations", batch: 20, every: .seconds(60)),
        WorkerLoop("sweep_vault_invitations", batch: 1000, every: .seconds(60)),
        // Of 256 KiB each.
        WorkerLoop("sweep_vaults", batch: 200, every: .seconds(60), yields: true),
        WorkerLoop("sweep_uploads", batch: 20, every: .seconds(60), yields: true),
        WorkerLoop("sweep_deliveries", batch: 1000, every: .seconds(60), yields: true),
        WorkerLoop("sweep", batch: 1000, every: .seconds(60)),
    ]
}
