import Foundation

/// Keeps the sign-in: in the storage, where every process of the app finds it, and for those who follow it.
/// ``SessionState`` decides.
final class SessionKeeper: Sendable {
    /// Asks the server, or the app, for new tokens.
    typealias Renewal = @Sendable (Credentials) async throws -> SessionState.Outcome

    private struct Memory {
        /// What the storage has, as far as it is known.
        var record: SessionRecord
        /// The item that ``record`` was read from, or written as.
        var item: Data?
        /// False while the storage cannot be read, such as before the device was unlocked for the first time.
        var isLoaded = false
        var state = SessionState()
        /// Whether ``item`` is the record of another server or tenant, which only a sign-in replaces.
        var isForeign = false
        /// New tokens that the disk did not take, and those that they replace.
        var unsaved: (former: Credentials, new: Credentials)?
        /// A sign-out that the disk did not take.
        var unsavedEnd: SessionRecord.Revocation?
        var clock = ServerClock()
        var renewal: Promise<Void>?
        /// When ``isPresent(_:)`` has read the storage.
        var lookedAt: ContinuousClock.Instant?
        var followers: [UUID: AsyncStream<KithSession?>.Continuation] = [:]
        /// Looks at the storage as long as somebody follows.
        var watch: Task<Void, Never>?
    }

    let storage: SharedStorage
    private let memory: Locked<Memory>
    private let read: @Sendable () -> ClockReading
    private let formerly: [URL]
    private let onLook = Locked<(@Sendable () -> Void)?>(nil)

    init(
        server: URL, tenant: String, formerly: [URL] = [], storage: any KithStorage,
        clock: @escaping @Sendable () -> ClockReading
    ) {
        self.storage = SharedStorage(storage)
        self.formerly = formerly
        read = clock
        memory = Locked(Memory(record: SessionRecord(server: server, tenant: tenant)))
        memory.withLock { load(&$0) }
    }

    /// Reads what the storage has, unless it has not changed. What cannot be read now is read at a later act.
    private func load(_ memory: inout Memory) { try? read(&memory) }

    private func read(_ memory: inout Memory) throws {
        let item = try storage.read(SessionRecord.name)
        guard !memory.isLoaded || item != memory.item else { return }
        (memory.isLoaded, memory.item, memory.isForeign) = (true, item, false)
        var record = SessionRecord(server: memory.record.server, tenant: memory.record.tenant)
        if let kept = item.flatMap({ try? JSONDecoder().decode(SessionRecord.self, from: $0) }) {
            memory.isForeign = !kept.isOf(record.server, formerly: formerly, tenant: record.tenant)
            let server = record.server
            if !memory.isForeign { record = kept }
            record.server = server
        }
        if let unsaved = memory.unsaved, record.credentials == unsaved.former {
            record.credentials = unsaved.new
        } else {
            memory.unsaved = nil
        }
        if var end = memory.unsavedEnd, let kept = record.credentials, kept.signIn == end.credentials.signIn {
            end.credentials = kept
            end.device = record.device.take() ?? end.device
            record.credentials = nil
            record.revocations.append(end)
        }
        memory.record = record
        if !memory.clock.isKnown { memory.clock = ServerClock(skew: record.skew) }
        change(&memory, byOther: true) { $0.adopt(record.credentials) }
    }

    /// Changes who is signed in, or takes in that another process has, and tells the followers.
    private func change<Result>(
        _ memory: inout Memory, byOther: Bool = false, _ body: (inout SessionState) -> Result
    ) -> Result {
        let former = memory.state.credentials
        defer {
            if memory.state.credentials?.signIn != former?.signIn {
                // Both belong to the former person.
                if !byOther, let former, former.userID != memory.state.credentials?.userID {
                    for name in [KeptHome.name, CheckInSender.received] { try? storage.remove(name) }
                }
                let session = memory.state.credentials.map(KithSession.init)
                for follower in memory.followers.values { follower.yield(session) }
            }
        }
        return body(&memory.state)
    }

    private func write(_ memory: inout Memory) throws {
        memory.record.credentials = memory.state.credentials
        memory.record.skew = memory.clock.skew
        let item = try JSONEncoder().encode(memory.record)
        try storage.write(item, as: SessionRecord.name)
        (memory.item, memory.isLoaded, memory.isForeign) = (item, true, false)
        (memory.unsaved, memory.unsavedEnd) = (nil, nil)
    }

    /// Acts on what the storage has.
    private func act<Result>(_ body: (inout Memory) throws -> Result) rethrows -> Result {
        try memory.withLock { memory in
            load(&memory)
            return try body(&memory)
        }
    }

    /// Changes what the storage has, while no other process does.
    ///
    /// - Throws: An error of the storage. Then only this process knows of the change.
    private func save(_ body: (inout Memory) -> Void) throws {
        try memory.withLock { memory in
            var isDone = false
            do {
                try storage.alone {
                    // A failed read ends this here: the change must not rest on a record that is old.
                    try read(&memory)
                    body(&memory)
                    isDone = true
                    try write(&memory)
                }
            } catch {
                if !isDone { body(&memory) }
                throw error
            }
        }
    }

    /// Keeps what a widget shows, unless its person is not signed in any more.
    func keep(_ home: KeptHome) {
        guard let item = try? JSONEncoder().encode(home) else { return }
        memory.withLock { memory in
            try? storage.alone {
                try read(&memory)
                if memory.state.credentials?.userID == home.userID { try storage.write(item, as: KeptHome.name) }
            }
        }
    }

    /// Whether the storage could be read, so that it is known who is signed in.
    var isKnown: Bool { act { $0.isLoaded } }

    var credentials: Credentials? { act { $0.state.credentials } }

    /// Whether a sign-in goes on, for a loop that asks without pause. A change by this process is seen at once.
    /// The storage, where other processes end a sign-in, is read at most 100 times a second.
    func isPresent(_ signIn: UUID?) -> Bool {
        memory.withLock { memory in
            let now = ContinuousClock.now
            if memory.lookedAt.map({ now - $0 >= .milliseconds(10) }) ?? true {
                load(&memory)
                memory.lookedAt = now
            }
            return memory.state.credentials?.signIn == signIn
        }
    }

    /// The present session, then each that follows it, whichever process began or ended it.
    func sessions() -> AsyncStream<KithSession?> {
        let (stream, follower) = AsyncStream.makeStream(of: KithSession?.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        follower.onTermination = { [weak self] _ in self?.unfollow(id) }
        act { memory in
            memory.followers[id] = follower
            follower.yield(memory.state.credentials.map(KithSession.init))
            guard memory.watch == nil else { return }
            memory.watch = Task { [weak self] in
                while (try? await Task.sleep(for: .seconds(Self.lookEvery))) != nil { self?.look() }
            }
        }
        return stream
    }

    private func unfollow(_ id: UUID) {
        memory.withLock { memory in
            memory.followers[id] = nil
            if memory.followers.isEmpty { memory.watch.take()?.cancel() }
        }
    }

    deinit { memory.withLock { $0.watch?.cancel() } }

    /// How often the storage is looked at for what another process did, in seconds, while somebody waits for that.
    static let lookEvery = 1.0

    private func look() {
        act { _ in }
        onLook.withLock { $0 }?()
    }

    /// Calls `body` whenever the storage was looked at for what another process did.
    func whenLooking(_ body: @escaping @Sendable () -> Void) { onLook.withLock { $0 = body } }

    // MARK: The clock

    /// Takes the time of an answer that just arrived. Its request was sent at `sent`.
    func hear(_ date: Date, sent: ContinuousClock.Instant) {
        let now = read()
        var isDue = false
        memory.withLock { memory in
            memory.clock.hear(date, at: now, sent: sent)
            // What is stored, and cannot be read now or is another server's, must not be replaced by nothing.
            guard memory.isLoaded, !memory.isForeign else { return }
            // Not with each answer: the disk is slow, and a bound may be some minutes old.
            if let kept = memory.record.skew, let skew = memory.clock.skew, abs(kept - skew) < 5,
                let heard = memory.record.heardAt, (0..<600).contains(date.timeIntervalSince(heard))
            {
                return
            }
            isDue = true
        }
        if isDue { try? save { $0.record.heardAt = date } }
    }

    /// Whether this process has heard the server, so that its clock does not depend on the wall clock.
    var hasHeard: Bool { memory.withLock { $0.clock.hasHeard } }

    /// A time that the server's clock has passed; nil if this device never heard it.
    var lastHeard: Date? { act { $0.record.heardAt } }

    /// The device's clocks, and the server's at that moment, as far as it is known.
    var now: (reading: ClockReading, server: Date, isKnown: Bool) {
        let reading = read()
        return memory.withLock { memory in
            if !memory.clock.isKnown { load(&memory) }
            return (reading, memory.clock.time(at: reading), memory.clock.isKnown)
        }
    }

    /// The server's time at a moment of this process.
    func serverTime(at moment: ClockReading) -> Date { memory.withLock { $0.clock.time(at: moment) } }

    // MARK: Signing in and out

    func signIn(_ credentials: Credentials) throws {
        try save { memory in
            let former = change(&memory) { state in
                defer { state.signIn(credentials) }
                return state.signOut()
            }
            if let former, former.signIn != credentials.signIn {
                memory.record.revocations.append(
                    .init(credentials: former, everywhere: false, device: memory.record.device.take()))
            }
            // The same person goes on to get pushes: the end of the former sign-in must not end a newer registration.
            for index in memory.record.revocations.indices
            where memory.record.revocations[index].credentials.userID == credentials.userID {
                memory.record.device = memory.record.revocations[index].device.take() ?? memory.record.device
            }
        }
    }

    /// Ends the sign-in at once. What the server must still hear of it is kept.
    func signOut(everywhere: Bool) throws {
        guard credentials != nil else { return }
        try save { memory in
            guard let ended = change(&memory, { $0.signOut() }) else { return }
            let end = SessionRecord.Revocation(
                credentials: ended, everywhere: everywhere, device: memory.record.device.take())
            memory.record.revocations.append(end)
            memory.unsavedEnd = end
        }
    }

    /// Keeps the token with which this device was registered for pushes in a sign-in, which may have ended meanwhile.
    func keepDevice(_ token: String, of signIn: UUID) {
        try? save { memory in
            if memory.state.credentials?.signIn == signIn {
                memory.record.device = token
            } else if let index = memory.record.revocations.firstIndex(where: { $0.credentials.signIn == signIn }) {
                memory.record.revocations[index].device = token
            }
        }
    }

    /// Makes the sign-outs from everywhere plain ones.
    func limitRevocations() {
        try? save { memory in
            for index in memory.record.revocations.indices { memory.record.revocations[index].everywhere = false }
        }
    }

    /// The sign-ins that the server must still end.
    var revocations: [SessionRecord.Revocation] { act { $0.record.revocations } }

    /// Replaces the tokens of a revocation, or removes it with nil.
    func replaceRevocation(of signIn: UUID, with credentials: Credentials?) {
        try? save { memory in
            guard let index = memory.record.revocations.firstIndex(where: { $0.credentials.signIn == signIn }) else {
                return
            }
            if let credentials {
                memory.record.revocations[index].credentials = credentials
            } else {
                memory.record.revocations.remove(at: index)
            }
        }
    }

    // MARK: Tokens

    /// The access token for a call of `signIn`. A token that is about to end serves until then, while new ones are
    /// asked for. Later all calls wait for that one request. It goes on when a call is cancelled.
    ///
    /// - Throws: ``KithProblem`` if that sign-in has ended or the server cannot be reached, `CancellationError` if the
    ///   task is cancelled.
    func token(for signIn: UUID, rejecting rejected: String?, renew: @escaping Renewal) async throws -> String {
        let now = now.server
        let (token, renewal) = act { memory in
            let token = memory.state.token(for: signIn, rejecting: rejected, at: now)
            if case .refresh = token { memory.renewal = Promise() }
            return (token, memory.renewal)
        }
        switch token {
        case .use(let token): return token
        case .signedOut: throw KithProblem.signedOut
        case .wait: break
        case .refresh(let asked): Task { await refresh(asked, renewal, renew) }
        }
        if let last = act({ $0.state.lastToken(for: signIn, rejecting: rejected, at: now) }) { return last }
        try await renewal?.value()
        guard let credentials, credentials.signIn == signIn else { throw KithProblem.signedOut }
        return credentials.accessToken
    }

    /// Gets new tokens in place of `asked`, unless another process has.
    private func refresh(_ asked: Credentials, _ renewal: Promise<Void>?, _ renew: Renewal) async {
        var failure: (any Error)?
        var outcome = SessionState.Outcome.failed
        do {
            // Without a lock, such as on a full disk, two processes may ask: the server repeats its answer for a while.
            let held = try await lock(.tokens)
            defer { held?.unlock() }
            if credentials == asked { outcome = try await renew(asked) }
            take(outcome, for: asked)
        } catch {
            take(.failed, for: asked)
            // Nobody has cancelled this task: it is an error of the app's function. Those who wait were not cancelled.
            failure = error is CancellationError ? KithProblem(URLError(.cancelled)) : error
        }
        renewal?.resolve(failure.map { .failure($0) } ?? .success(()))
    }

    /// The longest wait for what another process does over the network, in seconds.
    private static let longestWait = 60.0

    /// Waits until no other process holds a lock; nil if the storage has none now.
    ///
    /// - Throws: ``KithProblem`` if another process holds it for too long.
    func lock(_ lock: SharedStorage.Lock) async throws -> SharedStorage.Held? {
        do {
            return try await storage.wait(for: lock, upTo: Self.longestWait)
        } catch is SharedStorage.IsBusy {
            throw KithProblem.busy
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Takes the outcome of asking for new tokens.
    private func take(_ outcome: SessionState.Outcome, for asked: Credentials) {
        if outcome == .failed { return act { _ = $0.state.refreshed(outcome, with: asked) } }
        try? save { memory in
            switch change(&memory, { $0.refreshed(outcome, with: asked) }) {
            case .renewed(let new):
                // The disk may have what was before an earlier renewal.
                let former = memory.unsaved.flatMap { $0.new == asked ? $0.former : nil }
                memory.unsaved = (former ?? asked, new)
            case .ended, .unchanged: break
            case .orphaned(let renewed):
                let index = memory.record.revocations.firstIndex { $0.credentials.signIn == renewed.signIn }
                if let index { memory.record.revocations[index].credentials = renewed }
            }
        }
    }
}
