import Foundation

/// A connection that sends the bytes of a stream of events.
protocol EventSource: Sendable {
    /// The bytes that have arrived; waits for some if there are none. Nil at the end of the stream.
    func next() async throws -> Data?
    /// As ``next()``, but waits for `count` bytes, or for the end of the stream. A source may give fewer.
    func next(atLeast count: Int) async throws -> Data?
    /// Ends the connection.
    func cancel()
}

extension EventSource {
    func next(atLeast _: Int) async throws -> Data? { try await next() }
}

/// Reads the events of one sequence over as many connections as it takes.
///
/// Nothing runs between two calls of ``next()``: a reader that is slow does not read the socket. The server then keeps
/// the events, and sends them after the reader's position.
///
/// `@unchecked Sendable`: an iterator has one reader, and calls it from one task at a time.
final class EventReader: @unchecked Sendable {
    /// What a reader needs from outside. Tests have a clock and a network of their own.
    struct Surroundings: Sendable {
        /// Connects after a position. Throws ``KithProblem`` for a refusal.
        let connect: @Sendable (_ lastEventID: String?) async throws -> any EventSource
        /// The time since some instant in the past.
        let now: @Sendable () -> Duration
        let sleep: @Sendable (Duration) async throws -> Void
        let random: @Sendable () -> Double
        let wakeSignal: WakeSignal
        /// Whether the sign-in whose events these are goes on. The server may learn of its end later.
        var isSignedIn: @Sendable () -> Bool = { true }
        /// Is told that a connection was lost, and for how long it had been silent.
        var lost: @Sendable (Duration) async -> Void = { _ in }
    }

    private enum Arrival: Sendable {
        case bytes(Data?)
        case failed(any Error)
        case woken
        case timedOut
    }

    private let surroundings: Surroundings
    private var reconnection = EventReconnection()
    private var source: (any EventSource)?
    private var parser: ServerSentEventParser
    private var arrived: ArraySlice<ServerSentEvent> = []
    private var lastByte = Duration.zero
    private var isOver = false

    /// Creates a reader that begins after `lastEventID`, or now if it is nil.
    init(after lastEventID: String?, _ surroundings: Surroundings) {
        self.surroundings = surroundings
        parser = ServerSentEventParser(after: lastEventID)
    }

    deinit { source?.cancel() }

    /// The next event. Waits and connects again for as long as it takes.
    ///
    /// - Throws: ``KithProblem`` if the sign-in is over, and `CancellationError`.
    func next() async throws -> ServerSentEvent? {
        while true {
            guard !isOver else { return nil }
            do {
                if let event = arrived.popFirst() {
                    guard surroundings.isSignedIn() else { throw KithProblem.signedOut }
                    return event
                }
                try await advance()
            } catch {
                // After an error a sequence ends.
                isOver = true
                disconnect()
                throw Task.isCancelled ? CancellationError() : error
            }
        }
    }

    private func advance() async throws {
        try Task.checkCancellation()
        guard let source else { return try await connect() }
        switch await arrival(from: source) {
        case .bytes(let bytes?):
            lastByte = surroundings.now()
            let last = parser.lastEventID
            let events = parser.read(bytes)
            reconnection.received(retry: parser.retry)
            // A proxy that repeats a piece must not repeat an event.
            var previous = last
            for event in events where event.id.isEmpty || event.id != previous {
                arrived.append(event)
                previous = event.id
            }
        case .bytes(nil): try await ended(.closed)
        case .failed(is ByteStream.Overrun): try await ended(.overrun)
        case .failed(let error):
            try Task.checkCancellation()
            try await ended((error as? KithProblem).map { .refused($0) } ?? .lost)
        case .timedOut: try await ended(.lost)
        case .woken:
            if EventReconnection.abandons(after: surroundings.now() - lastByte) { try await ended(.abandoned) }
        }
    }

    private func connect() async throws {
        do {
            // A connection that is never made does not delay the next one for longer than a silent connection.
            let position = parser.lastEventID
            let connect = surroundings.connect
            source = try await connect(position)
            parser = ServerSentEventParser(after: position)
            lastByte = surroundings.now()
        } catch let problem as KithProblem {
            try Task.checkCancellation()
            try await ended(.refused(problem))
        } catch {
            try Task.checkCancellation()
            try await ended(.lost)
        }
    }

    private func ended(_ ending: EventReconnection.Ending) async throws {
        switch ending {
        case .lost, .refused, .abandoned: if source != nil { await surroundings.lost(surroundings.now() - lastByte) }
        case .closed, .overrun: break
        }
        disconnect()
        switch reconnection.ended(ending, random: surroundings.random()) {
        case .connect(after: .zero): break
        case .connect(after: let wait): try await pause(wait)
        case .startAnew:
            // Without a position, only the wait keeps a server that refuses everything from being asked without pause.
            if parser.lastEventID == nil { try await pause(EventReconnection.longestWait) }
            parser = ServerSentEventParser()
            arrived.append(ServerSentEvent(id: "", type: "reset", data: Data(#"{"reason":"unknown"}"#.utf8)))
        case .fail(let problem): throw problem
        }
    }

    private func disconnect() {
        source?.cancel()
        source = nil
    }

    /// Waits for bytes, for the app to come to the front, or for the end of the silence that is allowed.
    private func arrival(from source: any EventSource) async -> Arrival {
        let (sleep, wakeSignal) = (surroundings.sleep, surroundings.wakeSignal)
        return await withTaskGroup(of: Arrival.self) { group in
            group.addTask {
                do { return .bytes(try await source.next()) } catch { return .failed(error) }
            }
            group.addTask {
                try? await sleep(EventReconnection.silence)
                return .timedOut
            }
            group.addTask {
                try? await wakeSignal.wait()
                return .woken
            }
            let first = await group.next() ?? .timedOut
            group.cancelAll()
            // Bytes that arrive together with something else must not be lost.
            while let other = await group.next() {
                if case .bytes(_?) = other { return other }
            }
            return first
        }
    }

    /// Waits; ends early when the app comes to the front.
    private func pause(_ wait: Duration) async throws {
        let (sleep, wakeSignal) = (surroundings.sleep, surroundings.wakeSignal)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await sleep(wait) }
            group.addTask { try? await wakeSignal.wait() }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}
