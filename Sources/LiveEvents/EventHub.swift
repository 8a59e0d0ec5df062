internal import EventLoop
internal import HTTP
internal import Logging
package import NetworkAddresses
package import Postgres
package import Problems
package import Requests

/// Sends events to the streams that are open on a server. While there are any, it reads the events of all tenants with
/// one query, many times a second. A reader that is behind first catches up with its own queries.
///
/// `@unchecked Sendable`: used only on the loop's thread, by that loop's API server, its streams and its timers.
package final class EventHub: @unchecked Sendable {
    /// The pause between two reads. It is shorter after a read that had events, since more are likely. They may be for
    /// other servers' readers: of many servers or loops, each has few readers and would take every stretch without
    /// events for them for quiet.
    private static let pause = (quiet: Duration.milliseconds(100), busy: Duration.milliseconds(50))
    /// The pause after a failure to reach the database.
    private static let pauseAfterFailure = Duration.seconds(1)
    /// The interval of keep-alives to each reader, in seconds.
    private static let signOfLife = 15
    /// The interval of checks whether a reader may still read, in seconds.
    private static let recheck = 20
    /// The most readers that catch up at once, so that a crowd that reconnects does not take the database from
    /// everybody else.
    private static let catchingUpAtOnce = 4
    /// How long a client that is catching up may go without accepting data.
    private static let stallTimeout = Duration.seconds(60)
    /// The range of random reconnection delays, in milliseconds. They keep thousands of clients from reconnecting at
    /// once after a restart.
    private static let retry = 1000...3000

    private let loop: EventLoop
    private let feed: EventFeed
    private let limits: StreamLimits
    private var subscriptions: [EventSubscription] = []
    /// The subscriptions by reader.
    private var readers: [EventReader: [EventSubscription]] = [:]
    private var nextNumber = 0

    /// How far the events have been read; nil while nobody reads.
    private var tail: EventTail?
    /// How many events are read at once, as ``EventSubscription/pageSize``.
    private var tailSize = BatchSize(most: EventFeed.tailSize)
    private var isReading = false
    /// Whether ``run()`` is running.
    private var isRunning = false
    /// Subscriptions that arrived during a read. They join when it ends, so that they miss no event.
    private var arriving: [(subscription: EventSubscription, joined: UnsafeContinuation<Bool, Never>)] = []
    private var pulse = FeedPulse()
    private var isCheckFailing = false

    private var behind: [EventSubscription] = []
    private var catchingUp = 0
    private var seconds = 0
    private var isSweeping = false
    private var sent = 0

    package init(pool: PostgresPool, limits: StreamLimits) {
        loop = pool.loop
        feed = EventFeed(pool: pool)
        self.limits = limits
    }

    /// The hub's metrics.
    package var metrics: EventMetrics {
        EventMetrics(sent: sent, lag: subscriptions.isEmpty ? .zero : pulse.lag(at: .now))
    }

    // MARK: - Readers

    /// Reserves a seat for a reader that has everything up to `position`, in the request with the id `request`. Without
    /// a position, the reader gets events from now on.
    ///
    /// - Throws: ``Problem`` `too_many_requests` or `unavailable` if a limit is reached or the database cannot be
    ///   reached, or if an old transaction holds the feed back.
    package func enter(
        _ caller: Caller, in request: String, from address: NetworkAddress?, after position: EventPosition?
    ) async throws(Problem) -> EventSeat {
        // A client that hears nothing of a feed that stands still must not take that for quiet.
        guard tail == nil || isAlive else { throw Problem(.unavailable) }
        let reader = EventReader(tenantID: caller.tenantID, user: caller.user)
        try limits.enter(reader, from: address)
        let subscription = EventSubscription(
            caller: caller, request: request, from: address, number: nextNumber,
            position: position ?? EventPosition(milliseconds: 0, transaction: 0))
        nextNumber += 1
        if position != nil { subscription.stage = .waiting }
        if tail != nil, !isReading {
            join(subscription)
        } else {
            let hasJoined = await withUnsafeContinuation { joined in
                arriving.append((subscription, joined))
                start()
            }
            guard hasJoined else {
                limits.leave(reader, from: address)
                throw Problem(.unavailable)
            }
        }
        return EventSeat(of: subscription, in: self)
    }

    /// Starts sending, once the response's head is sent.
    func begin(_ subscription: EventSubscription, on stream: HTTPEventStream) {
        subscription.stream = stream
        stream.onEnd = { [self] in leave(subscription) }
        stream.onDrain = { [self] in drained(subscription) }
        stream.send(ServerSentEvent.retry(after: .random(in: Self.retry)))
        switch subscription.stage {
        case .collecting(let backlog):
            // Sends the position at once, so that the client misses nothing even if the stream ends before its first
            // event.
            stream.send(ServerSentEvent.comment(subscription.position))
            goLive(subscription, with: backlog)
        case .waiting, .stalled, .live: wait(subscription)
        }
    }

    /// Removes a subscription whose stream ended or will never begin.
    func leave(_ subscription: EventSubscription) {
        guard let slot = subscription.slot else { return }
        subscription.stream = nil
        subscriptions.swapAt(slot, subscriptions.count - 1)
        subscriptions[slot].slot = slot
        subscriptions.removeLast()
        // At the end: it may have been the last one itself.
        subscription.slot = nil
        readers[subscription.reader]?.removeAll { $0 === subscription }
        if readers[subscription.reader]?.isEmpty == true { readers[subscription.reader] = nil }
        limits.leave(subscription.reader, from: subscription.address)
    }

    /// Ends a user's streams after a sign-out: those of one sign-in, or all of them if `session` is nil.
    package func end(of reader: EventReader, session: String? = nil) {
        for subscription in readers[reader] ?? []
        where session == nil || subscription.caller.session == session { end(subscription) }
    }

    /// Ends the streams of all of a tenant's users.
    package func end(ofTenant tenantID: Int) {
        for subscription in subscriptions where subscription.caller.tenantID == tenantID { end(subscription) }
    }

    private func join(_ subscription: EventSubscription) {
        if case .collecting = subscription.stage, let tail { subscription.position = tail.position(at: now) }
        subscription.slot = subscriptions.count
        subscriptions.append(subscription)
        readers[subscription.reader, default: []].append(subscription)
        start()
    }

    private func end(_ subscription: EventSubscription) {
        // A stream whose head has not been sent yet ends at the next sweep.
        subscription.stream?.end()
    }

    // MARK: - New events

    private func start() {
        if !isRunning {
            isRunning = true
            loop.spawn { [self] in await run() }
        }
        if !isSweeping {
            isSweeping = true
            sweep()
        }
    }

    private func run() async {
        while !subscriptions.isEmpty || !arriving.isEmpty {
            let pause = await read()
            guard pause > .zero else { continue }
            do throws(CancellationError) { try await loop.sleep(for: pause) } catch { break }
        }
        tail = nil
        isRunning = false
    }

    /// Reads new events and sends them to their readers.
    ///
    /// - Returns: The pause before the next read.
    private func read() async -> Duration {
        isReading = true
        let begin = loop.now
        let pause: Duration
        do throws(PostgresError) {
            pause = try await readOn()
            if pulse.isFailing { Log.info("events are read again", [:]) }
            if let tail { pulse.note(horizon: tail.horizon, at: .now) }
            tailSize.note(success: loop.now - begin)
        } catch {
            tailSize.noteFailure()
            if !pulse.isFailing { Log.error("events cannot be read", ["reason": "\(error)"]) }
            pulse.noteFailure()
            pause = Self.pauseAfterFailure
        }
        isReading = false
        let arrived = arriving
        arriving = []
        let isOpen = tail != nil && isAlive
        for (subscription, joined) in arrived {
            if isOpen { join(subscription) }
            joined.resume(returning: isOpen)
        }
        return pause
    }

    private func readOn() async throws(PostgresError) -> Duration {
        guard var tail else {
            self.tail = EventTail(horizon: try await feed.horizon())
            return Self.pause.quiet
        }
        let read = try await feed.read(after: tail, size: tailSize.count) { readers[$0] != nil }
        let step = tail.take(read.piece)
        guard step != .wentBack else {
            self.tail = tail
            Log.error("the database has lost transactions: all event streams are reset", [:])
            for subscription in subscriptions { reset(subscription, to: tail.position(at: now), "unknown") }
            return Self.pause.quiet
        }
        // Subscriptions that arrive meanwhile join after all of this is sent. A failed read is repeated, so nobody
        // misses an event.
        let rendered = read.rows.isEmpty ? [] : try await feed.render(read.rows)
        for (row, bytes) in zip(read.rows, rendered) {
            guard let bytes else { continue }
            for subscription in readers[row.reader] ?? [] {
                subscription.take(bytes, at: row.position, loop.now)
                sent += 1
            }
        }
        self.tail = tail
        return step == .goesOn ? .zero : read.piece.last == nil ? Self.pause.quiet : Self.pause.busy
    }

    private func reset(_ subscription: EventSubscription, to position: EventPosition, _ reason: String) {
        subscription.position = position
        subscription.stage = .live
        subscription.stream?.send(ServerSentEvent.reset(position, reason: reason))
    }

    // MARK: - Missed events

    private func wait(_ subscription: EventSubscription) {
        subscription.stage = .waiting
        behind.append(subscription)
        catchUp()
    }

    private func catchUp() {
        while catchingUp < Self.catchingUpAtOnce, !behind.isEmpty {
            let subscription = behind.removeFirst()
            guard !subscription.isOver, case .waiting = subscription.stage else { continue }
            catchingUp += 1
            loop.spawn { [self] in
                await catchUp(subscription)
                catchingUp -= 1
                catchUp()
            }
        }
    }

    /// Sends missed events for as long as the client accepts them. After a stall, the rest is read again.
    private func catchUp(_ subscription: EventSubscription) async {
        subscription.stage = .collecting(EventBacklog())
        let begin = loop.now
        let page: EventFeed.Page
        do throws(Problem) {
            page = try await feed.page(
                of: subscription.caller, in: subscription.request, after: subscription.position,
                size: subscription.pageSize.count)
        } catch {
            subscription.stage = .waiting
            guard error.code == .unavailable else {
                Log.error(
                    "an event stream was cut off",
                    ["request_id": subscription.request, "reason": error.fault ?? error.code.rawValue])
                return end(subscription)
            }
            subscription.pageSize.noteFailure()
            loop.schedule(after: Self.pauseAfterFailure) { [self] in
                if !subscription.isOver, case .waiting = subscription.stage { wait(subscription) }
            }
            return
        }
        guard !subscription.isOver, let stream = subscription.stream, case .collecting(let backlog) = subscription.stage
        else { return }
        if let reason = page.reset {
            stream.send(ServerSentEvent.reset(page.horizon, reason: reason))
        }
        for event in page.events {
            guard let bytes = event.bytes else {
                subscription.position = event.position
                continue
            }
            guard subscription.send(bytes, at: event.position, loop.now) else { return }
            sent += 1
        }
        subscription.pageSize.note(success: loop.now - begin)
        guard !page.hasMore else { return wait(subscription) }
        subscription.position = page.horizon
        goLive(subscription, with: backlog)
    }

    /// Sends the events held back while the missed ones were read, and from then on new events.
    private func goLive(_ subscription: EventSubscription, with backlog: EventBacklog) {
        guard !backlog.hasOverflowed else { return wait(subscription) }
        subscription.stage = .live
        for event in backlog.events(from: subscription.position.transaction) {
            subscription.take(event.bytes, at: event.place, loop.now)
        }
    }

    private func drained(_ subscription: EventSubscription) {
        if case .stalled = subscription.stage { wait(subscription) }
    }

    // MARK: - Time

    /// Runs every second while there are streams. Ends streams that are over, and sends keep-alives to some of the
    /// others.
    private func sweep() {
        guard !subscriptions.isEmpty || !arriving.isEmpty else {
            isSweeping = false
            return
        }
        seconds += 1
        let now = now
        var asked: [EventSubscription] = []
        // Iterates over a copy, since ending a stream removes it from the list.
        for subscription in Array(subscriptions) {
            if subscription.end * 1000 <= Double(now) {
                end(subscription)
                continue
            }
            if case .stalled(let since) = subscription.stage, loop.now - since > Self.stallTimeout {
                end(subscription)
                continue
            }
            if (seconds + subscription.number).isMultiple(of: Self.signOfLife) { sayHello(to: subscription, at: now) }
            if (seconds + subscription.number).isMultiple(of: Self.recheck) { asked.append(subscription) }
        }
        if !asked.isEmpty {
            loop.spawn { [self, asked] in await check(asked) }
        }
        loop.schedule(after: .seconds(1)) { [self] in sweep() }
    }

    private var isAlive: Bool { pulse.isAlive(at: .now, beats: !loop.clock.isSet) }

    private func sayHello(to subscription: EventSubscription, at now: Int64) {
        guard isAlive else { return }
        switch subscription.stage {
        case .live:
            // A reader that has just caught up may be ahead of the tail. Its position must not go back.
            if let tail, tail.transaction >= subscription.position.transaction {
                subscription.stream?.send(ServerSentEvent.comment(tail.position(at: now)))
            } else {
                subscription.stream?.send(ServerSentEvent.comment)
            }
        case .collecting, .waiting: subscription.stream?.send(ServerSentEvent.comment)
        case .stalled: break
        }
    }

    /// Ends those of `asked` that may no longer read. If the database cannot be reached, they stay open until the next
    /// check.
    private func check(_ asked: [EventSubscription]) async {
        let places: [Int]
        do throws(PostgresError) {
            places = try await feed.ended(of: asked.map(\.caller))
        } catch {
            if !isCheckFailing { Log.error("rights cannot be checked; streams stay open", ["reason": "\(error)"]) }
            isCheckFailing = true
            return
        }
        if isCheckFailing { Log.info("rights are checked again", [:]) }
        isCheckFailing = false
        for place in places where asked.indices.contains(place) { end(asked[place]) }
    }

    private var now: Int64 { feed.pool.loop.clock.now / 1000 }
}
