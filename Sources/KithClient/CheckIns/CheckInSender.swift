import Foundation

/// Keeps check-ins on the disk and sends each once. ``Outbox`` decides.
final class CheckInSender: Sendable {
    private struct Memory {
        var outbox = Outbox()
        /// The names of the items that were not read yet; nil until they are known.
        var unread: [String]?
        /// The moments of the taps that this process has seen.
        var taps: [UUID: ClockReading] = [:]
        var receipts: [UUID: Promise<Kith.CheckIn>] = [:]
        /// Why the tries of this process have failed, for each check-in that is not received.
        var delays: [UUID: CheckInDelay] = [:]
        var running: Task<Void, Never>?
    }

    private let memory = Locked(Memory())
    private let http: HTTPCaller
    private let storage: any KithStorage

    init(http: HTTPCaller, storage: any KithStorage) {
        self.http = http
        self.storage = storage
    }

    /// The last who waits lets go of it, and what is left is sent at the next launch.
    deinit {
        memory.withLock { memory in
            memory.running?.cancel()
            for receipt in memory.receipts.values { receipt.resolve(.failure(CancellationError())) }
            for delay in memory.delays.values { delay.end() }
        }
    }

    /// Reads what was kept. What cannot be read now, such as because the device is locked, is read at a later act.
    private func load(_ memory: inout Memory) {
        if memory.unread == nil {
            memory.unread = try? storage.names().filter { $0.hasPrefix(KeptCheckIn.prefix) }
        }
        memory.unread?.removeAll { name in
            guard let id = UUID(uuidString: String(name.dropFirst(KeptCheckIn.prefix.count))) else { return true }
            guard let item = try? storage.read(name) as Data?? else { return false }
            if let item { memory.outbox.keep(KeptCheckIn(item, id: id, now: http.sessions.now.server)) }
            return true
        }
    }

    private func act<Result>(_ body: (inout Memory) throws -> Result) rethrows -> Result {
        try memory.withLock { memory in
            load(&memory)
            return try body(&memory)
        }
    }

    private func write(_ checkIn: KeptCheckIn) throws {
        try storage.write(JSONEncoder().encode(checkIn), as: checkIn.name)
    }

    /// Writes a check-in to the disk, then begins to send it.
    func keep(note: String?, shareNote: Bool?, location: Kith.Place?, of user: UUID) throws -> KithCheckIn {
        // First, so that the moment is by the steady clock if this says so.
        let hasHeard = http.sessions.hasHeard
        let now = http.sessions.now
        let checkIn = KeptCheckIn(
            id: UUID(), userID: user, note: note, shareNote: shareNote, location: location, tappedAt: now.server,
            isCorrected: now.isKnown, wall: hasHeard ? nil : now.reading.wall,
            since: http.sessions.lastHeard)
        let kept = try act { memory in
            try write(checkIn)
            memory.outbox.keep(checkIn)
            memory.taps[checkIn.id] = now.reading
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

    /// The present sign-in, and each that follows.
    var sessions: AsyncStream<KithSession?> { http.sessions.sessions() }

    /// Forgets a check-in that the server refused.
    func forget(_ id: UUID) throws {
        try act { memory in
            if case .remove(let checkIn) = memory.outbox.forget(id) { try storage.remove(checkIn.name) }
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
                    guard let wait = await self?.sendAll(&tries),
                        (try? await wake.sleep(for: wait, or: woken)) != nil
                    else { return }
                }
            }
        }
    }

    private func next(_ memory: Memory, except failed: Set<UUID> = []) -> (KeptCheckIn, Credentials)? {
        guard let credentials = http.sessions.credentials else { return nil }
        return memory.outbox.next(of: credentials.userID, except: failed).map { ($0, credentials) }
    }

    /// Tries each check-in that may be sent, one after the other. It returns the seconds until the next round; nil if
    /// none is left.
    private func sendAll(_ tries: inout Int) async -> TimeInterval? {
        var failed: Set<UUID> = []
        var last: KithProblem?
        tries += 1
        while let (checkIn, credentials) = nextOrEnd(except: failed) {
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

    /// The next check-in to send in a round. If there is none, and none has failed, sending has ended, and ``start()``
    /// begins it again.
    private func nextOrEnd(except failed: Set<UUID>) -> (KeptCheckIn, Credentials)? {
        act { memory in
            let next = next(memory, except: failed)
            if next == nil, failed.isEmpty { memory.running = nil }
            return next
        }
    }

    /// Sends a check-in, in one try.
    private func send(_ checkIn: KeptCheckIn, as credentials: Credentials) async throws {
        // Write the request to the disk before it is sent. Otherwise, if the process were killed now, the next one
        // would send another body.
        let request = try act { memory in
            let tap = memory.taps[checkIn.id].map { http.sessions.serverTime(at: $0) }
            var outbox = memory.outbox
            let prepared = outbox.prepare(checkIn.id, tap: tap, now: http.sessions.now)
            if let prepared, prepared != checkIn { try write(prepared) }
            memory.outbox = outbox
            return prepared?.request
        }
        guard let request else { return }
        let call = KithCall(
            operationID: "checkIn", method: "POST", path: "/v1/pings/check-in", body: .json(request.body),
            credential: .user, takesIdempotencyKey: true,
            decode: { try Kith.decoder().decode(Kith.CheckIn.self, from: $0.body) })
        let receipt = try await http.answer(
            to: call, as: credentials.signIn, key: request.key, policy: RetryPolicy(tries: 1))
        let (delay, waiting) = act { memory in
            if case .remove(let sent) = memory.outbox.finish(checkIn.id, .received) { try? storage.remove(sent.name) }
            memory.taps[checkIn.id] = nil
            return (
                memory.delays.removeValue(forKey: checkIn.id), memory.receipts.removeValue(forKey: checkIn.id)
            )
        }
        delay?.end()
        waiting?.resolve(.success(receipt))
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
        let changed: (delay: CheckInDelay?, receipt: Promise<Kith.CheckIn>?)? = act { memory in
            guard case .write(let checkIn) = memory.outbox.finish(id, Outbox.Outcome(problem)) else { return nil }
            try? write(checkIn)
            return checkIn.refusal == nil ? (nil, nil) : (memory.delays[id], memory.receipts[id])
        }
        changed?.delay?.end()
        changed?.receipt?.resolve(.failure(problem))
        return changed != nil
    }
}
