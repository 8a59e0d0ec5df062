import Foundation

/// Keeps check-ins on the disk, where every process of the app finds them, and sends each once. ``Outbox`` decides.
final class CheckInSender: Sendable {
    private struct Memory {
        var outbox = Outbox()
        /// The items that ``outbox`` was read from, or that were written from it.
        var items: [UUID: Data] = [:]
        /// Those that the server has, and that could not be removed.
        var sent: Set<UUID> = []
        var receipts: [UUID: Promise<Kith.CheckIn>] = [:]
        /// Why the tries of this process have failed, for each check-in that is not received.
        var delays: [UUID: CheckInDelay] = [:]
        var running: Task<Void, Never>?
    }

    private let memory = Locked(Memory())
    private let http: HTTPCaller
    private var storage: SharedStorage { http.sessions.storage }

    init(http: HTTPCaller) { self.http = http }

    /// Nobody waits any more. What is left is sent at the next launch.
    deinit {
        memory.withLock { memory in
            memory.running?.cancel()
            for receipt in memory.receipts.values { receipt.resolve(.failure(CancellationError())) }
            for delay in memory.delays.values { delay.end() }
        }
    }

    // MARK: The items

    /// Reads what all processes have kept and not sent. What cannot be read now, such as because the device is locked,
    /// is read at a later act.
    private func load(_ memory: inout Memory) {
        guard let names = try? storage.names() else { return }
        let (found, now) = (names.compactMap(KeptCheckIn.id), http.sessions.now.server)
        for id in found {
            if memory.sent.contains(id) { remove(id, &memory) } else { load(id, now, &memory) }
        }
        // A folder that changes while it is listed may hide a name.
        for id in Set(memory.items.keys).subtracting(found) { load(id, now, &memory) }
    }

    /// Reads an item, unless it has not changed.
    private func load(_ id: UUID, _ now: Date, _ memory: inout Memory) { try? read(id, now, &memory) }

    private func read(_ id: UUID, _ now: Date, _ memory: inout Memory) throws {
        let item = try storage.read(KeptCheckIn.name(id))
        guard item != memory.items[id] else { return }
        memory.items[id] = item
        guard let item else { return settle(id, &memory, receipt(of: id)) }
        let checkIn = KeptCheckIn(item, id: id, now: now)
        memory.outbox.put(checkIn)
        if let refusal = checkIn.refusal { refuse(id, memory, refusal) }
    }

    /// Forgets a check-in that the storage has no more, and tells whoever waits for it.
    private func settle(_ id: UUID, _ memory: inout Memory, _ receipt: Kith.CheckIn?) {
        memory.outbox.drop(id)
        memory.items[id] = nil
        memory.delays.removeValue(forKey: id)?.end()
        memory.receipts.removeValue(forKey: id)?
            .resolve(receipt.map { .success($0) } ?? .failure(CancellationError()))
    }

    private func refuse(_ id: UUID, _ memory: Memory, _ refusal: KithProblem) {
        memory.delays[id]?.end()
        memory.receipts[id]?.resolve(.failure(refusal))
    }

    private func act<Result>(_ body: (inout Memory) throws -> Result) rethrows -> Result {
        try memory.withLock { memory in
            load(&memory)
            return try body(&memory)
        }
    }

    /// Acts on one check-in as the storage has it, while no other process changes it. `body` does not ask for the
    /// sign-in: it takes turns at the storage, too.
    private func alone<Result>(with id: UUID, _ body: (inout Memory) throws -> Result) throws -> Result {
        let now = http.sessions.now.server
        return try memory.withLock { memory in
            try storage.alone {
                try read(id, now, &memory)
                return try body(&memory)
            }
        }
    }

    private func write(_ checkIn: KeptCheckIn, _ memory: inout Memory) throws {
        let item = try JSONEncoder().encode(checkIn)
        try storage.write(item, as: checkIn.name)
        memory.items[checkIn.id] = item
    }

    // MARK: Keeping

    /// Writes a check-in to the disk, then begins to send it.
    func keep(note: String?, shareNote: Bool?, location: Kith.Place?, of user: UUID) throws -> KithCheckIn {
        // First, so that the moment is by the steady clock if this says so.
        let hasHeard = http.sessions.hasHeard
        let now = http.sessions.now
        let checkIn = KeptCheckIn(
            id: UUID(), userID: user, note: note, shareNote: shareNote, location: location, tappedAt: now.server,
            isCorrected: now.isKnown, wall: hasHeard ? nil : now.reading.wall,
            since: http.sessions.lastHeard, steady: now.reading.steady, boot: now.reading.boot)
        let kept = try act { memory in
            do {
                try write(checkIn, &memory)
            } catch {
                // It is sent in another way, and must not be sent in both.
                remove(checkIn.id, &memory)
                throw error
            }
            memory.outbox.put(checkIn)
            return handle(checkIn, &memory)
        }
        http.wake.wake()
        start()
        return kept
    }

    /// The check-ins of `user` that are not sent yet, or that the server refused, and those that cannot be read.
    func kept(of user: UUID) -> [KithCheckIn] {
        act { memory in
            memory.outbox.checkIns.filter { [user, nil].contains($0.userID) }.map { handle($0, &memory) }
        }
    }

    /// The check-ins of `user` that are not sent yet.
    func waiting(of user: UUID) -> [KithCheckIn] {
        act { memory in memory.outbox.waiting(of: user).map { handle($0, &memory) } }
    }

    /// The number of all check-ins that are not sent yet.
    var waiting: Int { act { $0.outbox.checkIns.count { $0.refusal == nil } } }

    private func handle(_ checkIn: KeptCheckIn, _ memory: inout Memory) -> KithCheckIn {
        let receipt = memory.receipts[checkIn.id] ?? Promise()
        memory.receipts[checkIn.id] = receipt
        let delay = memory.delays[checkIn.id] ?? CheckInDelay()
        memory.delays[checkIn.id] = delay
        if let refusal = checkIn.refusal {
            delay.end()
            receipt.resolve(.failure(refusal))
        }
        return KithCheckIn(
            id: checkIn.id, tappedAt: checkIn.tappedAt, note: checkIn.note, receipt: receipt, delay: delay,
            sender: self)
    }

    /// Whether nobody is signed in.
    var isSignedOut: Bool { http.sessions.credentials == nil }

    /// The present sign-in, and each that follows.
    var sessions: AsyncStream<KithSession?> { http.sessions.sessions() }

    /// Forgets a check-in that the server refused.
    func forget(_ id: UUID) throws {
        try alone(with: id) { memory in
            guard case .remove(let checkIn) = memory.outbox.forget(id) else { return }
            try storage.remove(checkIn.name)
            settle(id, &memory, nil)
        }
    }

    // MARK: Sending

    /// Sends what is kept for the person who is signed in, unless that is under way.
    func start() {
        act { memory in
            guard memory.running == nil, next(memory) != nil else { return }
            // Between the rounds nothing holds the sender, so that it ends with those who use it.
            memory.running = Task { [weak self, wake = http.wake] in
                var tries = 0
                while true {
                    let woken = wake.next
                    guard let wait = await self?.sendAll(&tries, isLoop: true) else { return }
                    let end = ContinuousClock.now + .seconds(wait)
                    repeat {
                        let rest = min(ContinuousClock.now.duration(to: end).seconds, SessionKeeper.lookEvery)
                        guard (try? await wake.sleep(for: max(rest, 0), or: woken)) != nil else { return }
                        // Another process may have sent it.
                    } while self?.isWaiting == true && .now < end && woken.result == nil
                }
            }
        }
    }

    /// Whether a check-in of the person who is signed in is to be sent.
    private var isWaiting: Bool { act { next($0) != nil } }

    /// Tries each check-in that may be sent, beside whoever tries it again and again.
    func sendOnce() async {
        var tries = 0
        _ = await sendAll(&tries, isLoop: false)
    }

    private func next(_ memory: Memory, except failed: Set<UUID> = []) -> (KeptCheckIn, Credentials)? {
        guard let credentials = http.sessions.credentials else { return nil }
        return memory.outbox.next(of: credentials.userID, except: failed).map { ($0, credentials) }
    }

    /// Tries each check-in that may be sent, one after the other. It returns the seconds until the next round; nil if
    /// none is left.
    private func sendAll(_ tries: inout Int, isLoop: Bool) async -> TimeInterval? {
        var failed: Set<UUID> = []
        var last: KithProblem?
        tries += 1
        while let (checkIn, credentials) = nextOrEnd(except: failed, isLoop) {
            let problem: KithProblem
            do {
                try await http.learnTime()
                try await send(checkIn, as: credentials)
                tries = 1
                continue
            } catch {
                problem = error as? KithProblem ?? KithProblem(URLError(.unknown))
            }
            guard !finish(checkIn.id, problem) else { continue }
            last = problem
            failed.insert(checkIn.id)
            let concernsAll = [nil, 401, 429, 503].contains(problem.status)
            delay(checkIn.id, orAllOf: concernsAll ? credentials.userID : nil, problem)
            if concernsAll { break }
        }
        guard let last else { return nil }
        let failure = RetryPolicy.Failure(problem: last, mayHaveArrived: true)
        return RetryPolicy.forEver.wait(after: failure, tries: tries, isRepeatable: true, jitter: .random(in: 0...1))
            ?? RetryPolicy.forEver.longest
    }

    /// The next check-in to send in a round. If there is none, and none has failed, the loop has ended, and ``start()``
    /// begins it again.
    private func nextOrEnd(except failed: Set<UUID>, _ isLoop: Bool) -> (KeptCheckIn, Credentials)? {
        act { memory in
            let next = next(memory, except: failed)
            if next == nil, failed.isEmpty, isLoop { memory.running = nil }
            return next
        }
    }

    /// Sends a check-in, in one try, unless another process has.
    private func send(_ checkIn: KeptCheckIn, as credentials: Credentials) async throws {
        // A process that is stuck holds up no check-in: a repeat is the same request, which the server takes once.
        let held = try await lock()
        defer { held?.unlock() }
        let now = http.sessions.now
        let moment = checkIn.tap(now.reading).map { http.sessions.serverTime(at: $0) }
        // Write the request to the disk before it is sent. Otherwise, if the process were killed now, the next one
        // would send another body.
        let request = try alone(with: checkIn.id) { memory in
            var outbox = memory.outbox
            guard let prepared = outbox.prepare(checkIn.id, tap: moment, now: now), prepared.refusal == nil else {
                return KeptCheckIn.Request?.none
            }
            if prepared != memory.outbox[checkIn.id] { try write(prepared, &memory) }
            memory.outbox = outbox
            return prepared.request
        }
        guard let request else { return }
        let call = KithCall(
            operationID: "checkIn", method: "POST", path: "/v1/pings/check-in", body: .json(request.body),
            credential: .bearer, takesIdempotencyKey: true,
            decode: { try Kith.decoder().decode(Kith.CheckIn.self, from: $0.body) })
        let receipt = try await http.answer(
            to: call, as: credentials.signIn, key: request.key, policy: RetryPolicy(tries: 1))
        remove(checkIn, receipt)
    }

    /// The longest wait for another process that sends, in seconds.
    private static let longestWait = 10.0

    private func lock() async throws -> SharedStorage.Held? {
        do {
            return try await storage.wait(for: .sending, upTo: Self.longestWait)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Removes a check-in that the server has, when the receipt is where other processes find it.
    private func remove(_ checkIn: KeptCheckIn, _ receipt: Kith.CheckIn) {
        memory.withLock { memory in
            // Without a receipt, the other processes do not learn the outcome.
            do {
                try storage.alone {
                    try keep(receipt, of: checkIn.id)
                    remove(checkIn.id, &memory)
                }
            } catch {
                remove(checkIn.id, &memory)
            }
            settle(checkIn.id, &memory, receipt)
        }
    }

    private func remove(_ id: UUID, _ memory: inout Memory) {
        memory.sent.insert(id)
        if (try? storage.remove(KeptCheckIn.name(id))) != nil { memory.sent.remove(id) }
    }

    /// Tells a check-in that a try has failed. If `user` is given, it tells all of that person, which wait, too.
    private func delay(_ id: UUID, orAllOf user: UUID?, _ problem: KithProblem) {
        let delayed = act { memory in
            let ids = user.map { memory.outbox.waiting(of: $0).map(\.id) } ?? [id]
            return ids.compactMap { memory.delays[$0] }
        }
        for delay in delayed { delay.tell(problem) }
    }

    /// Takes the problem of a try; whether another request can follow at once, because that check-in is at its end or
    /// goes on in another form.
    private func finish(_ id: UUID, _ problem: KithProblem) -> Bool {
        let outcome = Outbox.Outcome(problem)
        guard case .refused = outcome else { return false }
        let now = http.sessions.now.server
        return memory.withLock { memory in
            var changed: KeptCheckIn?
            func take(_ memory: inout Memory) {
                if case .write(let checkIn) = memory.outbox.finish(id, outcome) { changed = checkIn }
            }
            do {
                try storage.alone {
                    try read(id, now, &memory)
                    take(&memory)
                    if let changed { try write(changed, &memory) }
                }
            } catch {
                // Only this process knows of it.
                if changed == nil { take(&memory) }
            }
            if let refusal = changed?.refusal { refuse(id, memory, refusal) }
            return changed != nil
        }
    }

    // MARK: Receipts

    /// The item with the last receipts, for the processes that wait for what another one has sent.
    static let received = "received"

    private struct Receipt: Codable {
        let id: UUID
        let receipt: Kith.CheckIn
    }

    private func receipts() throws -> [Receipt] {
        try storage.read(Self.received).flatMap { try? Kith.decoder().decode([Receipt].self, from: $0) } ?? []
    }

    private func keep(_ receipt: Kith.CheckIn, of id: UUID) throws {
        let last = try receipts().suffix(49) + [Receipt(id: id, receipt: receipt)]
        try storage.write(Kith.encoder().encode(Array(last)), as: Self.received)
    }

    private func receipt(of id: UUID) -> Kith.CheckIn? { try? receipts().last { $0.id == id }?.receipt }
}
