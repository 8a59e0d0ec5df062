internal import Postgres

/// One of the worker's loops: a procedure that does one batch and says how much it did, and how often it is asked.
struct WorkerLoop: Sendable {
    let name: String
    let statement: PostgresStatement
    /// The size of a batch; nil for a procedure that does everything at once.
    let batch: Int?
    /// How long the loop rests when there is nothing to do.
    let pause: Duration

    private init(_ procedure: String, batch: Int?, every pause: Duration) {
        name = procedure
        statement = PostgresStatement(
            name: procedure,
            sql: batch == nil
                ? "select worker.\(procedure)($1::timestamptz)"
                : "select worker.\(procedure)($1::timestamptz, $2::integer)")
        self.batch = batch
        self.pause = pause
    }

    /// Every loop, in the order in which one pass runs them: who is to have none is settled before a day's pings are made, these are made before they come due, come due before the
    /// sender is reminded, and are missed last.
    ///
    /// Batches are small enough that a transaction takes well under a second, so that a crash costs little and nobody waits
    /// long behind one.
    static let all = [
        WorkerLoop("make_partitions", batch: nil, every: .seconds(3600)),
        WorkerLoop("turn_breaks", batch: 1000, every: .seconds(5)),
        WorkerLoop("settle_subscriptions", batch: 1000, every: .seconds(10)),
        WorkerLoop("generate_daily_pings", batch: 5000, every: .seconds(5)),
        WorkerLoop("announce_due_pings", batch: 2000, every: .seconds(1)),
        WorkerLoop("remind_senders", batch: 2000, every: .seconds(1)),
        WorkerLoop("miss_pings", batch: 2000, every: .seconds(1)),
        WorkerLoop("find_gaps", batch: 5000, every: .seconds(3600)),
        WorkerLoop("sweep", batch: 1000, every: .seconds(60)),
    ]
}
