import Foundation

/// A change that the server reports while it happens.
public struct KithEvent: Sendable, Hashable, Identifiable {
    /// The position after this event. A sequence that begins after it misses nothing.
    public let id: String
    /// What has changed: the changed thing, as its own call returns it. An event that this library does not know is
    /// `unknown`.
    public let content: Kith.StreamEvent

    /// Whether events were missed that are no longer available. Load everything that the app shows again.
    public var isReset: Bool {
        if case .reset = content { true } else { false }
    }

    init(_ event: ServerSentEvent) {
        id = event.id
        // The changed thing is unknown, so the app must load everything.
        let (type, data) =
            event.isTooLarge ? ("reset", Data(#"{"reason":"too_large"}"#.utf8)) : (event.type, event.data)
        content = Self.content(id: event.id, type: type, data)
    }

    private static let decoder = Kith.decoder()

    /// The fields of the event as one value of the API. A newer server may send what this library cannot decode. That
    /// must not end the sequence.
    private static func content(id: String, type: String, _ data: Data) -> Kith.StreamEvent {
        if let content = try? Kith.StreamEvent(id: id, event: type, data: data, by: decoder) { return content }
        guard let value = try? decoder.decode(Kith.JSON.self, from: data) else {
            return .unknown(.string(String(decoding: data, as: UTF8.self)))
        }
        return .unknown(.object(["id": .string(id), "event": .string(type), "data": value]))
    }
}

/// The events of the person who is signed in, as they happen.
///
/// The sequence ends with the sign-in: it throws ``KithProblem`` `unauthenticated` then, and `forbidden` if the person
/// may not read events. A lost connection, a
/// restart of the server and a token that expires do not end it: the sequence reconnects and continues after the last
/// event. If that is no longer known, it has an event that is a reset (``KithEvent/isReset``).
///
/// A slow reader misses nothing. The server waits for it, so that it takes no more memory.
public struct KithEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = KithEvent

    let makeReader: @Sendable () -> EventReader

    /// Begins to read. Each iterator has a connection of its own, from its first event to its end.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: makeReader()) }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: EventReader

        /// The next event. Waits for it as long as it takes.
        ///
        /// - Throws: ``KithProblem`` when the sign-in has ended, and `CancellationError`.
        public mutating func next() async throws -> KithEvent? {
            try await reader.next().map(KithEvent.init)
        }
    }
}

extension Kith {
    /// The events of the person who is signed in, from now on or after an earlier event.
    ///
    /// Call ``wake()`` when the app comes to the front: a connection that fell silent in the background is then
    /// replaced at once.
    ///
    /// - Parameter lastEventID: The ``KithEvent/id`` after which the sequence begins. It can be a week old.
    /// - Returns: The events, in the order in which they happened.
    public func events(after lastEventID: String? = nil) -> KithEvents {
        events(after: lastEventID, onStart: {})
    }

    /// The events of the person who is signed in, as ``events(after:)`` has them, with the moment to load what the app
    /// shows.
    ///
    /// - Parameters:
    ///   - lastEventID: The ``KithEvent/id`` after which the sequence begins. It can be a week old.
    ///   - onStart: Is called before the first event whenever the sequence begins to read from now on. What happens
    ///     after the answers that it loads comes as an event, so that nothing falls between the two.
    /// - Returns: The events, in the order in which they happened.
    public func events(after lastEventID: String? = nil, onStart: @escaping @Sendable () async -> Void) -> KithEvents {
        events(after: lastEventID) { if $0 == .begun { await onStart() } }
    }

    /// What has become of a connection of ``KithEvents``.
    enum EventConnection: Sendable, Equatable {
        /// It reads from now on.
        case begun
        /// It continues after the last event.
        case resumed
        /// It is lost, after a silence.
        case lost(TimeInterval)
        /// It could not be made.
        case failed
    }

    /// As ``events(after:onStart:)``. `onConnection` is called before the first event of each connection, when one is
    /// lost, and when one cannot be made.
    func events(
        after lastEventID: String?, onConnection: @escaping @Sendable (EventConnection) async -> Void
    ) -> KithEvents {
        let (http, caller) = (http, caller)
        // The events of somebody who signs in later belong to another sequence.
        let signIn = http?.sessions.credentials?.signIn
        let start = ContinuousClock.now
        return KithEvents {
            EventReader(
                after: lastEventID,
                EventReader.Surroundings(
                    connect: { position in
                        do {
                            let answer = try await caller.openEvents(
                                after: position, as: signIn, isSignedIn: http == nil || signIn != nil)
                            await onConnection(position == nil ? .begun : .resumed)
                            return answer
                        } catch {
                            let isOver = http != nil && http?.sessions.credentials?.signIn != signIn
                            if !Task.isCancelled, position == nil || !isOver { await onConnection(.failed) }
                            throw error
                        }
                    },
                    now: { start.duration(to: .now) }, sleep: { try await Task.sleep(for: $0) },
                    random: { .random(in: 0...1) }, wakeSignal: http?.wake ?? WakeSignal(),
                    isSignedIn: { http.map { $0.sessions.isPresent(signIn) } ?? true },
                    lost: { await onConnection(.lost($0 / .seconds(1))) }))
        }
    }
}

extension KithCaller {
    /// Opens the stream of events after a position.
    fileprivate func openEvents(after position: String?, as signIn: UUID?, isSignedIn: Bool) async throws
        -> any EventSource
    {
        guard let caller = self as? any StreamingCaller, isSignedIn else { throw KithProblem.signedOut }
        let answer = try await caller.open(KithCalls.streamEvents(lastEventID: position), as: signIn)
        guard answer.headers["content-type"]?.hasPrefix("text/event-stream") == true else {
            throw URLError(.badServerResponse)
        }
        return answer.body
    }
}
