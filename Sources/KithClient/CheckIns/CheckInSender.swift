import Foundation

/// Keeps check-ins on the disk and sends each once. ``Outbox`` decides.
final class CheckInSender: Sendable {
    private struct Memory {
        var outbox = Outbox()
        var isLoaded = false
        /// The moments of the taps that this process has seen.
        var taps: [UUID: ClockReading] = [:]
        var receipts: [UUID: Promise<Kith.CheckIn>] = [:]
        /// Whether the first try of this process has failed, for each check-in that is not received.
        var delays: [UUID: Promise<Bool>] = [:]
        var running: Task<Void, Never>?
    }

    private let memory = Locked(Memory())
    private let http: HTTPCaller
    private let storage: any KithStorage

    init(http: HTTPCaller, storage: any KithStorage) {
        self.http = http
        self.storage = storage
    }

    /// Reads what was kept, unless that succeeded before.
    private func load(_ memory: inout Memory) {
        guard !memory.isLoaded, let names = try? storage.names() else { return }
        let kept = names.filter { $0.hasPrefix(KeptCheckIn.prefix) }.compactMap { name in
            (try? storage.read(name)).flatMap { $0 }.flatMap { try? JSONDecoder().decode(KeptCheckIn.self, from: $0) }
        }
        memory.outbox = Outbox(kept)
        memory.isLoaded = true
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
        start()
        http.wake.wake()
        return kept
    }

    /// The check-ins of `user` that are not sent yet, or that the server refused.
    func kept(of user: UUID) -> [KithCheckIn] {
        act { memory in memory.outbox.checkIns.filter { $0.userID == user }.map { handle($0, &memory) } }
    }

    /// The check-ins of `user` that are not sent yet.
    func waiting(of user: UUID) -> [KithCheckIn] {
        act { memory in memory.outbox.waiting(of: user).map { handle($0, &memory) } }
    }

    private func handle(_ checkIn: KeptCheckIn, _ memory: inout Memory) -> KithCheckIn {
        let receipt = memory.receipts[checkIn.id] ?? Promise()
        memory.receipts[checkIn.id] = receipt
        let isDelayed = memory.delays[checkIn.id] ?? Promise()
        memory.delays[checkIn.id] = isDelayed
        if let refusal = checkIn.refusal {
            isDelayed.resolve(.success(false))
            receipt.resolve(.failure(refusal))
        }
        return KithCheckIn(
            id: checkIn.id, tappedAt: checkIn.tappedAt, note: checkIn.note, receipt: receipt, isDelayed: isDelayed)
    }

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
            memory.running = Task { await self.run() }
        }
    }

    func stop() { memory.withLock { $0.running?.cancel() } }

    private func next(_ memory: Memory) -> (KeptCheckIn, Credentials)? {
        guard let credentials = http.sessions.credentials else { return nil }
        return memory.outbox.next(of: credentials.userID).map { ($0, credentials) }
    }

    /// Sends one check-in after the other, until none is left that may be sent.
    private func run() async {
        var tries = 0
        while let (checkIn, credentials) = nextOrEnd() {
            let problem: KithProblem
            do {
                if !http.sessions.now.isKnown { try await http.learnTime() }
                try await send(checkIn, as: credentials)
                tries = 0
                continue
            } catch is CancellationError {
                return
            } catch {
                problem = error as? KithProblem ?? KithProblem(URLError(.unknown))
            }
            guard !finish(checkIn.id, problem) else { continue }
            delay(of: checkIn.userID)
            tries += 1
            let failure = RetryPolicy.Failure(problem: problem, mayHaveArrived: true)
            let wait = RetryPolicy.forEver.wait(
                after: failure, tries: tries, isRepeatable: true, jitter: .random(in: 0...1))
            guard (try? await http.wake.sleep(for: wait ?? RetryPolicy.forEver.longest)) != nil else { return }
        }
    }

    /// The next check-in to send. If there is none, sending has ended, and ``start()`` begins it again.
    private func nextOrEnd() -> (KeptCheckIn, Credentials)? {
        act { memory in
            let next = next(memory)
            if next == nil { memory.running = nil }
            return next
        }
    }

    /// Sends a check-in, in one try.
    private func send(_ checkIn: KeptCheckIn, as credentials: Credentials) async throws {
        // Write the request to the disk before it is sent. Otherwise, if the process were killed now, the next one
        // would send another body.
        let request = try act { memory in
            let tap = memory.taps[checkIn.id].map { http.sessions.serverTime(at: $0) }
            let prepared = memory.outbox.prepare(checkIn.id, tap: tap, now: http.sessions.now)
            if let prepared, prepared != checkIn { try write(prepared) }
            return prepared?.request
        }
        guard let request else { return }
        let call = KithCall(
            operationID: "checkIn", method: "POST", path: "/v1/pings/check-in", body: .json(request.body),
            credential: .user, takesIdempotencyKey: true,
            decode: { try Kith.decoder().decode(Kith.CheckIn.self, from: $0.body) })
        let receipt = try await http.answer(
            to: call, as: credentials.signIn, key: request.key, policy: RetryPolicy(tries: 1))
        let (isDelayed, waiting) = act { memory in
            if case .remove(let sent) = memory.outbox.finish(checkIn.id, .received) { try? storage.remove(sent.name) }
            memory.taps[checkIn.id] = nil
            return (
                memory.delays.removeValue(forKey: checkIn.id), memory.receipts.removeValue(forKey: checkIn.id)
            )
        }
        isDelayed?.resolve(.success(false))
        waiting?.resolve(.success(receipt))
    }

    /// Tells the check-ins of `user` that a try has failed. Those behind the first wait with it.
    private func delay(of user: UUID) {
        let delayed = act { memory in memory.outbox.waiting(of: user).compactMap { memory.delays[$0.id] } }
        for delay in delayed { delay.resolve(.success(true)) }
    }

    /// Takes the problem of a try; whether another request can follow at once, because that check-in is at its end or
    /// goes on without its location.
    private func finish(_ id: UUID, _ problem: KithProblem) -> Bool {
        let changed: (isDelayed: Promise<Bool>?, receipt: Promise<Kith.CheckIn>?)? = act { memory in
            guard case .write(let checkIn) = memory.outbox.finish(id, Outbox.Outcome(problem)) else { return nil }
            try? write(checkIn)
            return checkIn.refusal == nil ? (nil, nil) : (memory.delays[id], memory.receipts[id])
        }
        changed?.isDelayed?.resolve(.success(false))
        changed?.receipt?.resolve(.failure(problem))
        return changed != nil
    }
}
