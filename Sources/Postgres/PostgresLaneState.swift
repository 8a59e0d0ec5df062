/// What a lane decides, without doing it: events come in, and what is to be done comes out. Time and chance are
/// arguments, so a test owns both. (The model is postgres-nio's `PoolStateMachine`.)
///
/// Its promises: requests are sent in the order in which they came; no more than `depth` are under way on a connection
/// and no more than `waitingLimit` wait; every request is answered once, by its result, its deadline or the loss of its
/// connection.
struct PostgresLaneState<Request> {
    typealias Instant = ContinuousClock.Instant

    /// What to do with a new request.
    enum Decision {
        case send(slot: Int)
        case wait
        case refuse(Refusal)
    }

    /// Why a request is refused without having been sent.
    enum Refusal: String {
        case noConnection = "there is no connection"
        case queueFull = "too many requests wait"
        case noRoom = "no connection was free in time"
        case closing = "the pool is closing"
    }

    /// What follows from a finished statement.
    struct Finish {
        /// The request that it answers; nil when its deadline has answered it.
        var answered: Request?
        /// What to send on the connection now.
        var next: Request?
    }

    /// What follows from the loss of a connection, or from one that could not be made.
    struct Loss {
        /// Were under way on it: they may have run.
        var failed: [Request] = []
        /// Waited, and nobody is left to run them.
        var refused: [Request] = []
        /// When to connect again.
        var retryAfter: Duration
    }

    /// What has become overdue.
    struct Overdue {
        /// Were under way: they may have run, or may yet.
        var timedOut: [Request] = []
        /// Waited for room until their deadline: they have not run.
        var expired: [Request] = []
        /// Waited for a first connection that did not come.
        var refused: [Request] = []
        /// Slots whose statement is to be cancelled on the server; `cancelled` must follow.
        var cancel: [Int] = []
        /// Slots whose connection is to be closed; `lost` must follow.
        var close: [Int] = []
    }

    private struct Entry {
        let request: Request
        let deadline: Instant
        var isAnswered = false
    }

    private struct Slot {
        var isConnected = false
        /// Nothing is sent while a cancel is on its way: it would hit the next statement.
        var isHeld = false
        var inFlight = Fifo<Entry>()
        /// When the front statement became the one that runs.
        var frontSince: Instant
        var backoff = Backoff()
    }

    private let settings: PostgresLaneSettings
    private var slots: [Slot]
    private var waiting = Fifo<Entry>()
    private var startedAt: Instant
    private var isClosing = false
    private(set) var connected = 0

    /// How long after the start requests wait for the first connection rather than fail.
    static var startUp: Duration { .seconds(1) }
    /// How long a statement may run past its deadline before its connection is taken for dead.
    static var silence: Duration { .seconds(1) }

    init(settings: PostgresLaneSettings, now: Instant) {
        self.settings = settings
        startedAt = now
        slots = Array(repeating: Slot(frontSince: now), count: settings.connections)
    }

    var inFlight: Int { slots.reduce(0) { $0 + $1.inFlight.count } }
    var waitingCount: Int { waiting.count }
    /// Whether any request is waiting or under way: only then can something become overdue.
    var isBusy: Bool { !waiting.isEmpty || slots.contains { !$0.inFlight.isEmpty } }

    /// The first connections are being made.
    mutating func start(now: Instant) {
        startedAt = now
    }

    /// A request comes in.
    mutating func submit(_ request: Request, deadline: Instant, now: Instant) -> Decision {
        guard !isClosing else { return .refuse(.closing) }
        if waiting.isEmpty, let slot = freest() {
            append(Entry(request: request, deadline: deadline), to: slot, now: now)
            return .send(slot: slot)
        }
        guard connected > 0 || isStartingUp(now) else { return .refuse(.noConnection) }
        guard waiting.count < settings.waitingLimit else { return .refuse(.queueFull) }
        waiting.append(Entry(request: request, deadline: deadline))
        return .wait
    }

    /// A connection stands. Gives what to send on it, in order.
    mutating func connected(_ slot: Int, now: Instant) -> [Request] {
        precondition(!slots[slot].isConnected)
        slots[slot].isConnected = true
        slots[slot].backoff.reset()
        connected += 1
        var requests: [Request] = []
        while let next = takeWaiting(for: slot, now: now) { requests.append(next) }
        return requests
    }

    /// A connection was lost, or could not be made.
    mutating func lost(_ slot: Int, now: Instant, jitter: Double) -> Loss {
        var loss = Loss(retryAfter: slots[slot].backoff.next(jitter: jitter))
        if slots[slot].isConnected { connected -= 1 }
        slots[slot].isConnected = false
        slots[slot].isHeld = false
        loss.failed = slots[slot].inFlight.takeAll().filter { !$0.isAnswered }.map(\.request)
        loss.refused = refuseWithoutConnection(now: now)
        return loss
    }

    /// The front statement of a connection has its answer.
    mutating func finished(_ slot: Int, now: Instant) -> Finish {
        let entry = slots[slot].inFlight.popFirst()
        slots[slot].frontSince = now
        return Finish(
            answered: entry.flatMap { $0.isAnswered ? nil : $0.request }, next: takeWaiting(for: slot, now: now))
    }

    /// The cancel for a slot has reached the server, or failed. Gives what to send on it.
    mutating func cancelled(_ slot: Int, now: Instant) -> Request? {
        slots[slot].isHeld = false
        return takeWaiting(for: slot, now: now)
    }

    /// Time has passed; to be called every few milliseconds while the lane is busy.
    mutating func tick(now: Instant) -> Overdue {
        var overdue = Overdue()
        overdue.refused = refuseWithoutConnection(now: now)
        overdue.expired = waiting.take { $0.deadline <= now }.map(\.request)
        for slot in slots.indices where !slots[slot].inFlight.isEmpty {
            for position in 0..<slots[slot].inFlight.count {
                let entry = slots[slot].inFlight[position]
                guard entry.deadline <= now, !entry.isAnswered else { continue }
                slots[slot].inFlight[position].isAnswered = true
                overdue.timedOut.append(entry.request)
                guard settings.cancelsOverdue else { continue }
                slots[slot].isHeld = true
                overdue.cancel.append(slot)
            }
            let patience = max(slots[slot].inFlight[0].deadline, slots[slot].frontSince) + Self.silence
            if patience <= now { overdue.close.append(slot) }
        }
        return overdue
    }

    /// From now on every request is refused; those in hand are finished.
    mutating func close() {
        isClosing = true
    }

    // MARK: - The rules

    /// The connection with the fewest statements under way, if one has room. Of several the first: its memory is warm.
    private func freest() -> Int? {
        var best: Int?
        var least = settings.depth
        for slot in slots.indices where slots[slot].isConnected && !slots[slot].isHeld {
            let load = slots[slot].inFlight.count
            guard load < least else { continue }
            if load == 0 { return slot }
            least = load
            best = slot
        }
        return best
    }

    private mutating func takeWaiting(for slot: Int, now: Instant) -> Request? {
        guard slots[slot].isConnected, !slots[slot].isHeld, slots[slot].inFlight.count < settings.depth,
            let entry = waiting.popFirst()
        else { return nil }
        append(entry, to: slot, now: now)
        return entry.request
    }

    private mutating func append(_ entry: Entry, to slot: Int, now: Instant) {
        if slots[slot].inFlight.isEmpty { slots[slot].frontSince = now }
        slots[slot].inFlight.append(entry)
    }

    private mutating func refuseWithoutConnection(now: Instant) -> [Request] {
        guard connected == 0, !isStartingUp(now) else { return [] }
        return waiting.takeAll().map(\.request)
    }

    private func isStartingUp(_ now: Instant) -> Bool { now < startedAt + Self.startUp }
}
