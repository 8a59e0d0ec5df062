public import Foundation

/// A check-in that is kept on this device, and becomes known to the receivers when the server has received it.
public struct KithCheckIn: Sendable, Identifiable {
    /// Tells it from other check-ins on this device.
    public let id: UUID
    /// The moment of the tap, as far as it is known now: by the server's clock, or by the device's as long as the
    /// server was never heard.
    public let tappedAt: Date
    /// The note that goes with it.
    public let note: String?
    let receipt: Promise<Kith.CheckIn>
    /// Why it is not sent yet.
    let delay: CheckInDelay
    /// Sends it, as long as somebody has the check-in, also when the client is gone.
    let sender: CheckInSender?

    /// How far a check-in is.
    public enum State: Sendable, Hashable {
        /// It is on the disk of this device and is being sent, also if the app or the device stops now. No receiver
        /// knows of it yet, so do not call the person safe.
        case kept
        /// It could not be sent, such as without a network, and is tried again until the server has answered. Tell the
        /// person that it is not sent yet.
        case delayed
        /// It could not be sent because the sign-in has ended. It is sent when the same person signs in again. Tell the
        /// person, and let them sign in.
        case waitsForSignIn
        /// The server has it.
        case received(Kith.CheckIn)
        /// The server refuses it for good, such as because it is older than seven days. Tell the person; it is kept
        /// until ``Kith/forget(_:)``.
        case refused(KithProblem)

        /// The sentence that tells the person how far the check-in is.
        public func sentence(_ texts: KithTexts = .preferred()) -> String {
            switch self {
            case .kept: texts.checkInSending
            case .delayed: texts.checkInKept
            case .waitsForSignIn: texts.checkInKeptSignIn
            case .received: texts.checkInReceived
            case .refused: texts.checkInRefused
            }
        }
    }

    /// The present state. ``states`` has those that follow, too.
    public var state: State {
        switch receipt.result {
        case .success(let receipt): .received(receipt)
        case .failure(let problem as KithProblem): .refused(problem)
        case .failure, nil:
            sender?.isSignedOut == true
                ? .waitsForSignIn : delay.last.map { $0.isSignedOut ? .waitsForSignIn : .delayed } ?? .kept
        }
    }

    /// Whether the server refuses it for good. Otherwise it waits: tell one from the other.
    public var isRefused: Bool {
        if case .refused = state { true } else { false }
    }

    /// The present state, and each that follows. It ends with `received` or `refused`; without either if another
    /// process of the app has sent the check-in long ago or forgotten it.
    public var states: AsyncStream<State> {
        AsyncStream { stream in
            let first = state
            stream.yield(first)
            let waiting = Task {
                defer { withExtendedLifetime(sender) {} }
                let signIns = Task { [delay, sessions = sender?.sessions] in
                    guard let sessions else { return }
                    // It may end while the next try waits for its time.
                    for await session in sessions where session == nil { delay.tell(.signedOut) }
                }
                defer { signIns.cancel() }
                do {
                    var last = first
                    for await reason in delay.reasons {
                        let isSignedOut = reason.isSignedOut || sender?.isSignedOut == true
                        let state = isSignedOut ? State.waitsForSignIn : .delayed
                        if state != last { stream.yield(state) }
                        last = state
                    }
                    let receipt = State.received(try await receipt.value())
                    if receipt != last { stream.yield(receipt) }
                } catch let problem as KithProblem {
                    if first != .refused(problem) { stream.yield(.refused(problem)) }
                } catch {}
                stream.finish()
            }
            stream.onTermination = { _ in waiting.cancel() }
        }
    }

    /// Waits until the server has received it.
    ///
    /// - Throws: ``KithProblem`` if the server refuses it for good, `CancellationError` if the task is cancelled. It is
    ///   sent all the same.
    public func received() async throws -> Kith.CheckIn {
        defer { withExtendedLifetime(sender) {} }
        return try await receipt.value()
    }
}

extension Kith {
    /// Says "I'm safe". The check-in is on the disk of this device when the function returns, and is sent as soon as
    /// there is a network, once, with the moment of the tap. If the disk takes nothing, it is sent at once instead.
    ///
    /// ```swift
    /// let checkIn = try await kith.checkIn(note: "Back from my walk")
    /// for await state in checkIn.states { show(state) }
    /// ```
    ///
    /// - Parameters:
    ///   - note: A note. It is cut to 500 Unicode scalars and trimmed, and control characters are left out. One that
    ///     the server refuses all the same is left out, and never costs the check-in.
    ///   - shareNote: Whether the receivers see the note.
    ///   - location: Where the person is, if the app has asked them and they allow it; nil sends nothing. It is kept
    ///     with the check-in until that is sent. The server stores it sealed, for seven days. One that the server
    ///     refuses is left out as the note is.
    /// - Throws: ``KithProblem`` `unauthenticated` if nobody is signed in. If the disk takes nothing: `not_kept` if
    ///   there is no connection either, the server's refusal, or `CancellationError`. Then nobody knows of the tap.
    /// - Returns: The check-in, whose states tell whether the server has it.
    public func checkIn(
        note: String? = nil, shareNote: Bool? = nil, location: Kith.Place? = nil
    ) async throws -> KithCheckIn {
        // JSON has no words for a latitude that is no number.
        let location = location.flatMap { (try? Kith.encoder().encode($0)) == nil ? nil : $0 }
        let note = KeptCheckIn.note(note)
        func tapped(_ tappedAt: Date) -> KeptCheckIn {
            KeptCheckIn(
                id: UUID(), userID: nil, note: note, shareNote: shareNote, location: location, tappedAt: tappedAt,
                isCorrected: true)
        }
        guard let checkIns, let http else { return try await checkInAtOnce(tapped(now), as: nil) }
        guard let credentials = http.sessions.credentials else { throw KithProblem.signedOut }
        let tap = http.sessions.now.reading
        do {
            return try checkIns.keep(note: note, shareNote: shareNote, location: location, of: credentials.userID)
        } catch {
            do {
                // A repeat may arrive after a later ping has come, so it must speak for the moment of the tap.
                try await http.learnTime(policy: RetryPolicy())
                return try await checkInAtOnce(
                    tapped(http.sessions.serverTime(at: tap)), as: credentials.signIn)
            } catch let problem as KithProblem where problem.code == .unreachable {
                throw KithProblem.notKept
            }
        }
    }

    /// Sends a check-in that nothing keeps, in the sign-in in which the person has tapped.
    private func checkInAtOnce(_ checkIn: KeptCheckIn, as signIn: UUID?) async throws -> KithCheckIn {
        let call = KithCall(
            operationID: "checkIn", method: "POST", path: "/v1/pings/check-in", body: .json(checkIn.body),
            credential: .bearer, takesIdempotencyKey: true,
            decode: { try Kith.decoder().decode(Kith.CheckIn.self, from: $0.body) })
        let (receipt, delay) = (Promise<Kith.CheckIn>(), CheckInDelay())
        do {
            let answer =
                if let http, let signIn {
                    try await http.answer(to: call, as: signIn, key: UUID().uuidString, policy: RetryPolicy())
                } else {
                    try await caller.answer(to: call)
                }
            receipt.resolve(.success(answer))
        } catch let problem as KithProblem {
            var less = checkIn
            guard less.giveUp(problem) else { throw problem }
            return try await checkInAtOnce(less, as: signIn)
        }
        delay.end()
        return KithCheckIn(
            id: checkIn.id, tappedAt: checkIn.tappedAt, note: checkIn.note, receipt: receipt, delay: delay,
            sender: nil)
    }

    /// The check-ins of the signed-in person that the server has not received: those that wait, those that it refused,
    /// and those that cannot be read, which are refused, too.
    public var keptCheckIns: [KithCheckIn] {
        (http?.sessions.credentials?.userID).flatMap { checkIns?.kept(of: $0) } ?? []
    }

    /// The number of check-ins that wait on this device for the sign-in of whoever made them; 0 while somebody is
    /// signed in.
    var waitingForSignIn: Int { session == nil ? checkIns?.waiting ?? 0 : 0 }

    /// Forgets a check-in that the server refused, when the person has seen it. One that waits is not forgotten.
    ///
    /// - Throws: An error of the storage. Then the check-in is still there.
    public func forget(_ checkIn: KithCheckIn) throws { try checkIns?.forget(checkIn.id) }
}
