internal import EventLoop

/// The decisions of a lane, without any I/O: events come in, and actions come out. Time and randomness are arguments,
/// so that tests control both. (The model is postgres-nio's `PoolStateMachine`.)
///
/// It guarantees:
/// - A client's requests are sent in the order in which they came, and waiting clients take turns.
/// - At most `depth` requests are in flight on a connection, and at most `waitingLimit` wait.
/// - A client has requests on at most `connectionsPerClient` connections. A client with many requests in flight is
///   heavy, and no other client's request waits on a connection behind those of a heavy client. Slow statements of one
///   client therefore hold up nobody else (a bulkhead).
/// - Every request is answered once: by its result, its deadline or the loss of its connection.
/// - While there is no connection, a single slot tries for one, and less often the longer the server has been away. So
///   a server that has the map of many cells pays little for those that are down.
struct PostgresLaneState<Request> {
    typealias Instant = ContinuousClock.Instant

    /// What to do with a new request.
    enum Decision {
        case send(slot: Int)
        case wait
        case refuse(Refusal)
    }

    /// Why a request is refused without being sent.
    enum Refusal: String {
        case noConnection = "there is no connection"
        case queueFull = "too many requests wait"
        case noRoom = "no connection was free in time"
        case closing = "the pool is closing"
    }

    /// The consequences of a finished statement.
    struct Finish {
        /// The request that the statement answers; nil when its deadline has answered it.
        var answered: Request?
        /// The request to send on the connection now.
        var next: Request?
    }

    /// The consequences of a new connection.
    struct Opening {
        /// The requests to send on it, in order.
        var sent: [Request] = []
        /// The slots that waited for it: their connections are to be opened now.
        var open: [Int] = []
    }

    /// The consequences of losing a connection or failing to open one.
    struct Loss {
        /// The requests that were in flight on the connection. They may have run.
        var failed: [Request] = []
        /// The requests that were waiting, when no connection is left to run them.
        var refused: [Request] = []
        /// The delay before the next attempt to connect; nil if another slot is trying, whose success opens this one
        /// too.
        var retryAfter: Duration?
    }

    /// The consequences of passed deadlines.
    struct Overdue {
        /// The requests that were in flight. They may have run, or may still run.
        var timedOut: [Request] = []
        /// The requests that waited for room until their deadline. They have not run.
        var expired: [Request] = []
        /// The requests that waited for a first connection that did not come.
        var refused: [Request] = []
        /// The slots whose statement must be cancelled on the server. `cancelled` must follow.
        var cancel: [Int] = []
        /// The slots whose connection must be closed. `lost` must follow.
        var close: [Int] = []
    }

    private struct Entry {
        let request: Request
        let client: Int?
        let deadline: Instant
        var isAnswered = false
    }

    private struct Use {
        /// The number of connections that the client has requests on.
        var connections = 0
        var inFlight = 0
    }

    private struct Slot {
        var isConnected = false
        /// Whether it is opened as soon as the lane has a connection, and not before.
        var waitsForFirst = false
        /// Whether a cancel request is on its way. Nothing is sent until it arrives, because it would hit the next
        /// statement.
        var isHeld = false
        var inFlight = Deque<Entry>()
        /// The number of requests in `inFlight`, by client.
        var clients: [Int: Int] = [:]
        /// When the front statement became the one that runs.
        var frontSince: Instant
        var backoff = Backoff(from: .milliseconds(50), to: .milliseconds(500))
    }

    private let settings: PostgresLaneSettings
    private var slots: [Slot]
    /// The waiting requests, by client. No queue is empty.
    private var waiting: [Int?: Deque<Entry>] = [:]
    /// The clients in `waiting`, in the order of their turns.
    private var turns = Deque<Int?>()
    /// The use of the lane by each client with requests in flight.
    private var uses: [Int: Use] = [:]
    /// The heavy clients, whose requests nobody else's may wait behind. Usually there are none.
    private var heavy: Set<Int> = []
    private(set) var waitingCount = 0
    private var startedAt: Instant
    private var isClosing = false
    private(set) var connected = 0
    /// The slot that tries for a first connection, if that has failed before, and since when there is none.
    private var probe: (slot: Int, since: Instant)?

    /// How long after the start requests wait for the first connection rather than fail.
    static var startUp: Duration { .seconds(1) }
    /// How long a statement may run past its deadline before its connection counts as dead.
    static var silence: Duration { .seconds(1) }
    /// The longest delay between two attempts to connect to a server that has long been away.
    static var longestRetry: Duration { .seconds(5) }

    init(settings: PostgresLaneSettings, now: Instant) {
        self.settings = settings
        startedAt = now
        slots = Array(repeating: Slot(frontSince: now), count: settings.connections)
    }

    var inFlight: Int { slots.reduce(0) { $0 + $1.inFlight.count } }
    /// Whether any request is waiting or in flight. Only then can a deadline pass.
    var isBusy: Bool { waitingCount > 0 || slots.contains { !$0.inFlight.isEmpty } }

    /// Records that the connections are about to be opened. Returns the slot to begin with, if there is any; the others
    /// follow when it is there, so that a starting server can answer while PostgreSQL is still busy with the rest.
    mutating func start(now: Instant) -> Int? {
        startedAt = now
        for slot in slots.indices.dropFirst() { slots[slot].waitsForFirst = true }
        return slots.indices.first
    }

    /// Decides about a new request. `client` is one of those who share the lane; nil is the process itself, which has
    /// no bulkhead.
    mutating func submit(
        _ request: Request, client: Int? = nil, deadline: Instant, now: Instant
    ) -> Decision {
        guard !isClosing else { return .refuse(.closing) }
        let entry = Entry(request: request, client: client, deadline: deadline)
        let queued = waiting[client]?.count ?? 0
        if queued == 0, let slot = freest(for: client) {
            append(entry, to: slot, now: now)
            return .send(slot: slot)
        }
        guard connected > 0 || isStartingUp(now) else { return .refuse(.noConnection) }
        guard waitingCount < settings.waitingLimit, queued < settings.waitingLimit(of: client) else {
            return .refuse(.queueFull)
        }
        if queued == 0 { turns.append(client) }
        waiting[client, default: Deque()].append(entry)
        waitingCount += 1
        return .wait
    }

    /// Records a new connection.
    mutating func connected(_ slot: Int, now: Instant) -> Opening {
        precondition(!slots[slot].isConnected)
        slots[slot].isConnected = true
        slots[slot].backoff.succeed()
        connected += 1
        probe = nil
        var opening = Opening()
        while let next = takeWaiting(for: slot, now: now) { opening.sent.append(next) }
        for other in slots.indices where slots[other].waitsForFirst {
            slots[other].waitsForFirst = false
            opening.open.append(other)
        }
        return opening
    }

    /// Records that a connection was lost or could not be opened.
    mutating func lost(_ slot: Int, now: Instant, jitter: Double) -> Loss {
        var loss = Loss()
        if slots[slot].isConnected { connected -= 1 }
        slots[slot].isConnected = false
        slots[slot].isHeld = false
        for (client, count) in slots[slot].clients { leave(client, count, isLastThere: true) }
        slots[slot].clients.removeAll()
        loss.failed = slots[slot].inFlight.takeAll().filter { !$0.isAnswered }.map(\.request)
        loss.refused = refuseWithoutConnection(now: now)
        loss.retryAfter = retryDelay(slot, now: now, jitter: jitter)
        return loss
    }

    /// The delay before a slot tries again; nil if it waits for another's success. After an outage, it is at most a
    /// fiftieth of it, or 500 ms.
    private mutating func retryDelay(_ slot: Int, now: Instant, jitter: Double) -> Duration? {
        if connected == 0, let probe, probe.slot != slot {
            slots[slot].waitsForFirst = true
            return nil
        }
        let delay = slots[slot].backoff.fail(jitter: jitter)
        guard connected == 0 else { return delay }
        let since = probe?.since ?? now
        probe = (slot, since)
        return max(delay, min((now - since) / 50, Self.longestRetry) * (0.5 + 0.5 * jitter))
    }

    /// Records that the front statement of a connection is answered.
    mutating func finished(_ slot: Int, now: Instant) -> Finish {
        let entry = slots[slot].inFlight.popFirst()
        if let client = entry?.client, let count = slots[slot].clients[client] {
            slots[slot].clients[client] = count > 1 ? count - 1 : nil
            leave(client, 1, isLastThere: count == 1)
        }
        slots[slot].frontSince = now
        return Finish(
            answered: entry.flatMap { $0.isAnswered ? nil : $0.request }, next: takeWaiting(for: slot, now: now))
    }

    /// Returns a further request to send on a connection after a statement finished there. There may be room for more
    /// than one, which the bulkhead did not let anybody take before.
    mutating func further(_ slot: Int, now: Instant) -> Request? {
        takeWaiting(for: slot, now: now)
    }

    /// Records that the cancel request for a slot has reached the server, or failed. Returns the request to send on the
    /// slot.
    mutating func cancelled(_ slot: Int, now: Instant) -> Request? {
        slots[slot].isHeld = false
        return takeWaiting(for: slot, now: now)
    }

    /// Records that time has passed. Must be called every few milliseconds while the lane is busy.
    mutating func tick(now: Instant) -> Overdue {
        var overdue = Overdue()
        overdue.refused = refuseWithoutConnection(now: now)
        overdue.expired = takeExpired(now: now)
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
            let deadline = max(slots[slot].inFlight[0].deadline, slots[slot].frontSince) + Self.silence
            if deadline <= now { overdue.close.append(slot) }
        }
        return overdue
    }

    /// Refuses every request from now on. Those waiting or in flight are still finished.
    mutating func close() {
        isClosing = true
    }

    // MARK: - Rules

    /// The connection with the fewest statements in flight among those that `client` may use, if one has room. Of
    /// several, it is the first, whose memory is warm.
    private func freest(for client: Int?) -> Int? {
        let canSpread = canSpread(client)
        var best: Int?
        var least = settings.depth
        for slot in slots.indices where slots[slot].isConnected && !slots[slot].isHeld {
            let load = slots[slot].inFlight.count
            guard load < least, canSpread || isIn(slot, client), !isBlocked(slot, for: client) else { continue }
            if load == 0 { return slot }
            least = load
            best = slot
        }
        return best
    }

    /// Whether a client may use one more connection.
    private func canSpread(_ client: Int?) -> Bool {
        guard let client, let use = uses[client] else { return true }
        return use.connections < settings.connectionsPerClient
    }

    /// Whether a request of `client` would wait behind those of another heavy client, which may be slow.
    private func isBlocked(_ slot: Int, for client: Int?) -> Bool {
        !heavy.isEmpty && slots[slot].clients.keys.contains { $0 != client && heavy.contains($0) }
    }

    private func isIn(_ slot: Int, _ client: Int?) -> Bool {
        client.map { slots[slot].clients[$0] != nil } ?? true
    }

    /// Removes and returns the next request for a connection: that of the first client in turn that may use the
    /// connection.
    private mutating func takeWaiting(for slot: Int, now: Instant) -> Request? {
        guard waitingCount > 0, slots[slot].isConnected, !slots[slot].isHeld,
            slots[slot].inFlight.count < settings.depth
        else { return nil }
        for _ in 0..<turns.count {
            guard let client = turns.popFirst() else { return nil }
            guard canSpread(client) || isIn(slot, client), !isBlocked(slot, for: client),
                let entry = waiting[client]?.popFirst()
            else {
                turns.append(client)
                continue
            }
            waitingCount -= 1
            if waiting[client]?.isEmpty == true { waiting[client] = nil } else { turns.append(client) }
            append(entry, to: slot, now: now)
            return entry.request
        }
        return nil
    }

    private mutating func append(_ entry: Entry, to slot: Int, now: Instant) {
        if slots[slot].inFlight.isEmpty { slots[slot].frontSince = now }
        slots[slot].inFlight.append(entry)
        guard let client = entry.client else { return }
        let count = slots[slot].clients[client, default: 0]
        slots[slot].clients[client] = count + 1
        var use = uses[client] ?? Use()
        use.inFlight += 1
        if count == 0 { use.connections += 1 }
        uses[client] = use
        if use.inFlight >= settings.heavy { heavy.insert(client) }
    }

    /// Records that `count` requests of a client are no longer in flight on a connection.
    private mutating func leave(_ client: Int, _ count: Int, isLastThere: Bool) {
        guard var use = uses[client] else { return }
        use.inFlight -= count
        if isLastThere { use.connections -= 1 }
        uses[client] = use.inFlight > 0 ? use : nil
        if use.inFlight < settings.heavy { heavy.remove(client) }
    }

    private mutating func takeExpired(now: Instant) -> [Request] {
        guard waitingCount > 0 else { return [] }
        var expired: [Request] = []
        for client in turns.takeAll() {
            expired += waiting[client]?.take { $0.deadline <= now }.map(\.request) ?? []
            if waiting[client]?.isEmpty == true { waiting[client] = nil } else { turns.append(client) }
        }
        waitingCount -= expired.count
        return expired
    }

    private mutating func refuseWithoutConnection(now: Instant) -> [Request] {
        guard connected == 0, !isStartingUp(now) else { return [] }
        var refused: [Request] = []
        for client in turns.takeAll() { refused += waiting[client]?.takeAll().map(\.request) ?? [] }
        waiting.removeAll()
        waitingCount = 0
        return refused
    }

    private func isStartingUp(_ now: Instant) -> Bool { now < startedAt + Self.startUp }
}
