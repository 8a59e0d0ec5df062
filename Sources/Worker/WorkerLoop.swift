internal import Postgres

/// One of the worker's loops: a procedure that does one batch and says how much it did, and how often it is asked.
struct WorkerLoop: Sendable {
    let name: String
    let statement: PostgresStatement
    /// The size of a batch; nil for a procedure that does everything at once.
    let batch: Int?
    /// Whether it rests after each batch as long as that took: what nobody waits for leaves the disk and a processor to those
    /// who do, a check-in first of all.
    let yields: Bool
    /// How long the loop rests when there is nothing to do.
    let pause: Duration
    /// Whether it throws away what time has made worthless: with another clock than the machine's it must not.
    let needsMachineClock: Bool
    /// Called after a batch in which there was something to do, on the loop's thread.
    let whenDone: @Sendable () -> Void

    private init(
        _ procedure: String, batch: Int?, every pause: Duration, yields: Bool = false, needsMachineClock: Bool = false,
        argument: String = "", whenDone: @escaping @Sendable () -> Void = {}
    ) {
        name = procedure
        self.yields = yields
        self.needsMachineClock = needsMachineClock
        statement = PostgresStatement(
            name: procedure,
            sql: batch == nil
                ? "select worker.\(procedure)($1::timestamptz)"
                : "select worker.\(procedure)($1::timestamptz, $2::integer\(argument))")
        self.batch = batch
        self.pause = pause
        self.whenDone = whenDone
    }

    /// The loop that decides which news goes which way. `takesAll`: every channel is there for every tenant, because all of it goes to
    /// one place. `whenDone` is called when there is something to send.
    static func planner(takesAll: Bool, whenDone: @escaping @Sendable () -> Void) -> WorkerLoop {
        WorkerLoop(
            "plan_deliveries", batch: 1000, every: .milliseconds(500), argument: ", \(takesAll)", whenDone: whenDone)
    }

    /// Every loop, in the order in which one pass runs them: who is to have no pings is settled before a day's are made; they
    /// are made before they come due, come due before the sender is reminded, and are missed last.
    ///
    /// Batches are small enough that a transaction takes well under a second, so that a crash costs little and nobody waits
    /// long behind one.
    static let all = [
        // One a transaction: two would hold one table while they wait for the next.
        WorkerLoop("make_partitions", batch: 1, every: .seconds(3600)),
        WorkerLoop("drop_events", batch: 1, every: .seconds(3600), needsMachineClock: true),
        WorkerLoop("analyze_tables", batch: nil, every: .seconds(5)),
        WorkerLoop("turn_breaks", batch: 1000, every: .seconds(5)),
        WorkerLoop("settle_subscriptions", batch: 1000, every: .seconds(10)),
        WorkerLoop("generate_daily_pings", batch: 5000, every: .seconds(5), yields: true),
        WorkerLoop("announce_due_pings", batch: 2000, every: .seconds(1)),
        WorkerLoop("remind_senders", batch: 2000, every: .seconds(1)),
        WorkerLoop("miss_pings", batch: 2000, every: .seconds(1)),
        WorkerLoop("find_gaps", batch: 5000, every: .seconds(3600)),
        WorkerLoop("lock_expired_sessions", batch: 200, every: .seconds(1)),
        WorkerLoop("drop_expired_deliveries", batch: 1000, every: .seconds(5)),
        WorkerLoop("give_up_deliveries", batch: 1000, every: .seconds(5)),
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
