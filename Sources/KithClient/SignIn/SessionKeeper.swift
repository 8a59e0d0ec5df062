import Foundation

/// Keeps the sign-in: in memory, in the storage, and for those who follow it. ``SessionState`` decides.
final class SessionKeeper: Sendable {
    /// Asks the server, or the app, for new tokens.
    typealias Renewal = @Sendable (Credentials) async throws -> SessionState.Outcome

    private struct Memory {
        var record: SessionRecord
        var state = SessionState()
        var clock = ServerClock()
        /// False while the storage cannot be read, such as before the device was unlocked for the first time.
        var isLoaded = false
        var renewal: Promise<Void>?
        var followers: [UUID: AsyncStream<KithSession?>.Continuation] = [:]
    }

    private let memory: Locked<Memory>
    private let storage: any KithStorage
    private let read: @Sendable () -> ClockReading

    init(server: URL, tenant: String, storage: any KithStorage, clock: @escaping @Sendable () -> ClockReading) {
        self.storage = storage
        read = clock
        memory = Locked(Memory(record: SessionRecord(server: server, tenant: tenant)))
        memory.withLock { load(&$0) }
    }

    /// Reads what was kept, unless that succeeded before.
    private func load(_ memory: inout Memory) {
        guard !memory.isLoaded, let item = try? storage.read(SessionRecord.name) as Data?? else { return }
        memory.isLoaded = true
        guard let item, let kept = try? JSONDecoder().decode(SessionRecord.self, from: item),
            kept.server == memory.record.server, kept.tenant == memory.record.tenant
        else { return }
        memory.record = kept
        memory.state = SessionState(kept.credentials)
        if !memory.clock.isKnown { memory.clock = ServerClock(skew: kept.skew) }
        tell(memory)
    }

    /// Tells the followers of the present session.
    private func tell(_ memory: Memory) {
        let session = memory.state.credentials.map(KithSession.init)
        for follower in memory.followers.values { follower.yield(session) }
    }

    private func save(_ memory: inout Memory) throws {
        try write(&memory)
        tell(memory)
    }

    private func write(_ memory: inout Memory) throws {
        memory.record.credentials = memory.state.credentials
        memory.record.skew = memory.clock.skew
        try storage.write(JSONEncoder().encode(memory.record), as: SessionRecord.name)
    }

    /// Acts on the state under the lock.
    private func act<Result>(_ body: (inout Memory) throws -> Result) rethrows -> Result {
        try memory.withLock { memory in
            load(&memory)
            return try body(&memory)
        }
    }

    var credentials: Credentials? { act { $0.state.credentials } }

    /// The present session, then each that follows it.
    func sessions() -> AsyncStream<KithSession?> {
        let (stream, follower) = AsyncStream.makeStream(of: KithSession?.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        follower.onTermination = { [weak self] _ in self?.memory.withLock { _ = $0.followers.removeValue(forKey: id) } }
        act { memory in
            memory.followers[id] = follower
            follower.yield(memory.state.credentials.map(KithSession.init))
        }
        return stream
    }

    // MARK: The clock

    /// Takes the time of an answer that just arrived. Its request was sent at `sent`.
    func hear(_ date: Date, sent: ContinuousClock.Instant) {
        let now = read()
        act { memory in
            memory.clock.hear(date, at: now, sent: sent)
            // What is stored, and cannot be read now, must not be replaced by nothing.
            guard memory.isLoaded else { return }
            // Not with each answer: the disk is slow, and a bound may be some minutes old.
            if let kept = memory.record.skew, let skew = memory.clock.skew, abs(kept - skew) < 5,
                let heard = memory.record.heardAt, (0..<600).contains(date.timeIntervalSince(heard))
            {
                return
            }
            memory.record.heardAt = date
            try? write(&memory)
        }
    }

    /// Whether this process has heard the server, so that its clock does not depend on the wall clock.
    var hasHeard: Bool { act { $0.clock.hasHeard } }

    /// A time that the server's clock has passed; nil if this device never heard it.
    var lastHeard: Date? { act { $0.record.heardAt } }

    /// The device's clocks, and the server's at that moment, as far as it is known.
    var now: (reading: ClockReading, server: Date, isKnown: Bool) {
        let reading = read()
        return act { (reading, $0.clock.time(at: reading), $0.clock.isKnown) }
    }

    /// The server's time at a moment of this process.
    func serverTime(at moment: ClockReading) -> Date { act { $0.clock.time(at: moment) } }

    // MARK: Signing in and out

    func signIn(_ credentials: Credentials) throws {
        try act { memory in
            memory.state.signIn(credentials)
            memory.record.device = nil
            // The same person goes on to get pushes: the end of the former sign-in must not end a newer registration.
            for index in memory.record.revocations.indices
            where memory.record.revocations[index].credentials.userID == credentials.userID {
                memory.record.device = memory.record.revocations[index].device.take() ?? memory.record.device
            }
            try save(&memory)
        }
    }

    /// Ends the sign-in at once. What the server must still hear of it is kept.
    func signOut(everywhere: Bool) throws {
        try act { memory in
            guard let ended = memory.state.signOut() else { return }
            memory.record.revocations.append(
                .init(credentials: ended, everywhere: everywhere, device: memory.record.device.take()))
            try save(&memory)
        }
    }

    /// Keeps the token with which this device was registered for pushes in a sign-in, which may have ended meanwhile.
    func keepDevice(_ token: String, of signIn: UUID) {
        act { memory in
            if memory.state.credentials?.signIn == signIn {
                memory.record.device = token
            } else if let index = memory.record.revocations.firstIndex(where: { $0.credentials.signIn == signIn }) {
                memory.record.revocations[index].device = token
            }
            try? write(&memory)
        }
    }

    /// Makes the sign-outs from everywhere plain ones.
    func limitRevocations() {
        act { memory in
            for index in memory.record.revocations.indices { memory.record.revocations[index].everywhere = false }
            try? write(&memory)
        }
    }

    /// The sign-ins that the server must still end.
    var revocations: [SessionRecord.Revocation] { act { $0.record.revocations } }

    /// Replaces the tokens of a revocation, or removes it with nil.
    func replaceRevocation(of signIn: UUID, with credentials: Credentials?) {
        act { memory in
            guard let index = memory.record.revocations.firstIndex(where: { $0.credentials.signIn == signIn }) else {
                return
            }
            if let credentials {
                memory.record.revocations[index].credentials = credentials
            } else {
                memory.record.revocations.remove(at: index)
            }
            try? save(&memory)
        }
    }

    // MARK: Tokens

    /// The access token for a call of `signIn`. Whoever needs new tokens waits for the one request that asks for them;
    /// who is cancelled stops waiting, and the request goes on.
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
        do {
            try await renewal?.value()
        } catch let problem as KithProblem {
            let last = act { $0.state.lastToken(for: signIn, rejecting: rejected, at: now) }
            guard let last else { throw problem }
            return last
        }
        guard let credentials, credentials.signIn == signIn else { throw KithProblem.signedOut }
        return credentials.accessToken
    }

    private func refresh(_ asked: Credentials, _ renewal: Promise<Void>?, _ renew: Renewal) async {
        var failure: (any Error)?
        var outcome = SessionState.Outcome.failed
        do {
            outcome = try await renew(asked)
        } catch is CancellationError {
            // Nobody has cancelled this task: it is an error of the app's function. Those who wait were not cancelled.
            failure = KithProblem(URLError(.cancelled))
        } catch {
            failure = error
        }
        act { memory in
            switch memory.state.refreshed(outcome, with: asked) {
            case .renewed, .ended: try? save(&memory)
            case .unchanged: break
            case .orphaned(let renewed):
                let index = memory.record.revocations.firstIndex { $0.credentials.signIn == renewed.signIn }
                if let index { memory.record.revocations[index].credentials = renewed }
                try? save(&memory)
            }
        }
        renewal?.resolve(failure.map { .failure($0) } ?? .success(()))
    }
}
