internal import Postgres

/// One of the worker's loops: a procedure that processes one batch and returns how much it did, and how often it is
/// called.
struct WorkerLoop: Sendable {
    let name: String
    let statement: PostgresStatement
    /// The statement of a worker that sends heartbeats, for a procedure that must know that they arrive. It also takes
    /// the worker's instance.
    let beatingStatement: PostgresStatement?
    /// The size of a batch; nil for a procedure that does everything at once.
    private(set) var batch: Int?
    /// Whether the loop rests after each batch (see ``rest(after:)``). Work that can wait a moment leaves the disk and
    /// the processors to work that somebody waits for, above all check-ins.
    let yields: Bool
    /// How long the loop rests when there is no work.
    private(set) var pause: Duration
    /// Whether the procedure deletes what is past its retention, or ends sessions of PostgreSQL. It must not run with a
    /// clock other than the machine's.
    let needsMachineClock: Bool
    /// Called on the loop's thread after a batch that found work.
    let whenDone: @Sendable () -> Void

    private init(
        _ procedure: String, batch: Int?, every pause: Duration, yields: Bool = false, needsMachineClock: Bool = false,
        needsHeartbeat: Bool = false, argument: String = "", whenDone: @escaping @Sendable () -> Void = {}
    ) {
        name = procedure
        self.yields = yields
        self.needsMachineClock = needsMachineClock
        statement = PostgresStatement(
            name: procedure,
            sql: batch == nil
                ? "select worker.\(procedure)($1::timestamptz)"
                : "select worker.\(procedure)($1::timestamptz, $2::integer\(argument))")
        beatingStatement =
            needsHeartbeat
            ? PostgresStatement(
                name: "\(procedure)_beating",
                sql: "select worker.\(procedure)($1::timestamptz, $2::integer, $3::text)") : nil
        self.batch = batch
        self.pause = pause
        self.whenDone = whenDone
    }

    /// The largest batch that an operator may choose; nil for a loop whose work is not divided into rows.
    var largestBatch: Int? { batch.flatMap { $0 > 1 ? 10 * $0 : nil } }

    /// The same loop at the pace that the operator has chosen for it.
    func at(_ pace: WorkerPace) -> WorkerLoop {
        var loop = self
        loop.batch = pace.choices[name]?.batch ?? batch
        loop.pause = pace.choices[name]?.pause ?? pause
        return loop
    }

    /// The loop's pace and its usual one, as a JSON object of `worker.note_loops`.
    var description: String {
        let usual = Self.known.first { $0.name == name } ?? self
        func pace(_ loop: WorkerLoop, _ prefix: String) -> String {
            #""\#(prefix)batch": \#(loop.batch.map { "\($0)" } ?? "null"), "\#(prefix)pause_ms": \#(Int(loop.pause / .milliseconds(1)))"#
        }
        return #"{"loop": "\#(name)", \#(pace(self, "")), \#(pace(usual, "usual_"))}"#
    }

    /// How long a loop that yields rests after a batch that took `duration`: twice as long, but at most a second. A
    /// batch that waited for a stalled disk or a lock must not delay the alarms behind it any further.
    static func rest(after duration: Duration) -> Duration {
        min(duration * 2, .seconds(1))
    }

    /// The loops that plan the channels of each notification. What is about an alarm has one of its own, which never
    /// rests while there is any. With `takesAll`, every tenant has every channel, because all messages go to one sink.
    /// `whenDone` is called when there is something to send.
    static func planners(takesAll: Bool, whenDone: @escaping @Sendable () -> Void) -> [WorkerLoop] {
        [
            WorkerLoop(
                "plan_alarms", batch: 200, every: .milliseconds(500), argument: ", \(takesAll)", whenDone: whenDone),
            WorkerLoop(
                "plan_deliveries", batch: 500, every: .milliseconds(500), yields: true, argument: ", \(takesAll)",
                whenDone: whenDone),
        ]
    }

    /// Every loop that a worker can have, at its usual pace.
    static let known = all + planners(takesAll: false) {}

    /// The loop that makes partitions, which come before everything else.
    ///
    /// One partition a transaction: with two, a transaction would hold a lock on one table while it waits for the next.
    /// Each attempt may hold up others for half a second if somebody reads the default partition.
    static let partitions = WorkerLoop("make_partitions", batch: 1, every: .seconds(3600))

    /// Every loop but the planner, in the order in which one pass runs them. Breaks and lapsed subscriptions are
    /// settled before a day's pings are made. Pings are made before they come due, come due before the sender is
    /// reminded, and are missed last. Silence is judged after the misses that it consists of, and waits begin before
    /// anybody is told of them.
    ///
    /// Batches are small enough that a transaction takes well under a second, so that a crash costs little and nobody
    /// waits long behind one. A loop whose rows fan out (`internal.fans_out`) takes at most 50, because each is a
    /// subtransaction, and PostgreSQL keeps no more than 64 of a transaction in memory.
    static let all = [
        partitions,
        // The call also corrects a date that a wrong clock of the database caused, so it comes often.
        WorkerLoop("note_current_pings", batch: nil, every: .seconds(60)),
        WorkerLoop("drop_partitions", batch: 1, every: .seconds(3600), needsMachineClock: true),
        WorkerLoop("analyze_tables", batch: nil, every: .seconds(5)),
        WorkerLoop("turn_breaks", batch: 50, every: .seconds(5)),
        WorkerLoop("settle_subscriptions", batch: 50, every: .seconds(10)),
        // A check-in's commit also writes the log of the batch before it to the disk, so a large batch delays it.
        WorkerLoop("generate_daily_pings", batch: 1000, every: .seconds(5), yields: true),
        WorkerLoop("announce_due_pings", batch: 500, every: .seconds(1), yields: true),
        WorkerLoop("remind_senders", batch: 2000, every: .seconds(1)),
        WorkerLoop("miss_pings", batch: 2000, every: .seconds(1), needsHeartbeat: true),
        // The batch is people to tell, of one tenant.
        WorkerLoop("tell_alarms", batch: 500, every: .seconds(1)),
        // Before it, the alarm; it reads how far a canary's has come, and the runs are few.
        WorkerLoop("walk_canaries", batch: 50, every: .seconds(2)),
        WorkerLoop("begin_emergency_waits", batch: 1000, every: .seconds(5)),
        WorkerLoop("tell_emergencies", batch: 50, every: .seconds(1)),
        // The database knows when the next check is due and how far the workers have come with it.
        WorkerLoop("find_gaps", batch: 1000, every: .seconds(60), yields: true),
        WorkerLoop("lock_expired_sessions", batch: 50, every: .seconds(1)),
        WorkerLoop("drop_expired_deliveries", batch: 1000, every: .seconds(5)),
        WorkerLoop("give_up_deliveries", batch: 1000, every: .seconds(5)),
        WorkerLoop("alarm_operator", batch: 100, every: .seconds(5)),
        WorkerLoop("sweep_sign_in", batch: 1000, every: .seconds(60)),
        WorkerLoop("sweep_answers", batch: 1000, every: .seconds(60)),
        WorkerLoop("sweep_invitations", batch: 20, every: .seconds(60)),
        WorkerLoop("sweep_vault_invitations", batch: 1000, every: .seconds(60)),
        // Pieces of up to 256 KiB each.
        WorkerLoop("sweep_vaults", batch: 200, every: .seconds(60), yields: true),
        WorkerLoop("sweep_uploads", batch: 20, every: .seconds(60), yields: true),
        WorkerLoop("sweep_alarms", batch: 50, every: .seconds(60)),
        WorkerLoop("sweep", batch: 1000, every: .seconds(60)),
        WorkerLoop("end_readers", batch: nil, every: .seconds(1), needsMachineClock: true),
        // Once a day; the database knows when.
        WorkerLoop("sample_disk", batch: nil, every: .seconds(3600), needsMachineClock: true),
        WorkerLoop("expire_rows", batch: 1000, every: .seconds(3600), yields: true, needsMachineClock: true),
    ]
}
