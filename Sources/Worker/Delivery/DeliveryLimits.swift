internal import Delivery

/// How much of whose messages may be under way on a channel, so that a provider that is slow or dead holds up only the tenant whose it is.
///
/// Each tenant has a limit of its own and a circuit breaker. Whoever is not known to be quick (new, slow, or failing) shares half of the
/// channel's room with the others of that kind, so the other half is always there for those who are.
///
/// Where users or tenants say to which hosts messages go, each host of a tenant is judged for itself in the same way: those that are not
/// known to be quick share half as many as the tenant's limit, beside it, and half of the channel, and what is failing says nothing of the tenant. Only after a
/// claim is it known where a message goes; so one that has no room there is put off, and room is left for the others.
struct DeliveryLimits {
    /// Where a message goes.
    struct Destination: Hashable {
        let tenant: Int
        /// Who takes it there, where that is not the tenant's own choice alone; nil for the tenant's provider.
        var host: String?
    }

    /// What one claim may take.
    struct Claim: Equatable {
        /// All together.
        let batch: Int
        /// Of a tenant that is not in `tenants`.
        let share: Int
        /// It begins with the tenants after this one.
        let after: Int
        /// Tenants that may have more or less than `share`, and how much.
        let tenants: [Int]
        let room: [Int]
        /// Whether only those who are known to be quick may have some, although the others have room too: they do the next time.
        let isForTheQuick: Bool
    }

    /// What an attempt says about the provider.
    enum Verdict: Equatable {
        /// It answered, be it with a refusal of just this message.
        case works
        /// It did not, or could not take anything. `pause` is what it asked for.
        case fails(pause: Duration?)
        /// The same of the host alone: it says nothing of the tenant.
        case hostFails(pause: Duration?)
        /// The attempt never reached it.
        case unknown

        /// What a failure to send to `destination` says.
        init(_ error: DeliveryError, to destination: Destination) {
            guard case .retry(let pause) = error.kind else {
                self = .works
                return
            }
            if destination.host == nil {
                self = .fails(pause: pause)
            } else {
                self = error.isOfMessage ? .works : .hostFails(pause: pause)
            }
        }
    }

    /// What became of a tenant's breaker, or a host's, by an attempt.
    enum Change: Equatable {
        case opened, closed, hostOpened, hostClosed
    }

    /// A message that was claimed.
    struct Candidate {
        let destination: Destination
        /// Whether some places are kept for it where hosts hang.
        var isUrgent = false
    }

    private struct Route {
        var limit: RouteLimit
        var breaker = CircuitBreaker()
        var inFlight = 0
        /// How many of them go to no host, but by the tenant's provider.
        var direct = 0
        /// How many of them go to hosts that are not known to be quick.
        var doubtful = 0
        /// Whether the last attempt was answered, and in time.
        var isQuick = false
        /// How many may go to hosts that are not known to be quick: more while they answer, be it slowly.
        var slow: RouteLimit
        /// Whether it could have had more at the last claim but for its limit.
        var isHeldBack = false
        var usedAt: ContinuousClock.Instant

        /// How many of them count: hosts that hang are not to use up what the others of the tenant have, and have a bound of their own.
        var counted: Int { inFlight - doubtful }
        var mostDoubtful: Int { max(RouteLimit.first, slow.value, limit.value / 2) }

        func room(at now: ContinuousClock.Instant) -> Int {
            max(0, min(limit.value - counted, breaker.room(at: now)))
        }
    }

    private struct Host {
        var breaker = CircuitBreaker()
        var inFlight = 0
        /// Whether the last attempt was answered, and in time.
        var isQuick = false
        /// Whether it has answered or failed.
        var isKnown = false
        /// Until when what was put off last waits.
        var putOffUntil: ContinuousClock.Instant
        var usedAt: ContinuousClock.Instant

        /// For how long what has no room now is put off: what comes after the other goes after it, so that not all of it is claimed again
        /// and again. What comes behind the longest begins in front again: it all comes back evenly, and not at once.
        mutating func putOff(at now: ContinuousClock.Instant) -> Duration {
            let first = max(breaker.wait(at: now), .seconds(1))
            // Most hosts are quick, and the first answer tells.
            guard isKnown else { return first }
            putOffUntil = max(putOffUntil + RouteLimit.slowThreshold / RouteLimit.first, now + first)
            if putOffUntil > now + DeliveryLimits.longestPutOff { putOffUntil = now + first }
            return putOffUntil - now
        }
    }

    /// What is known of somebody who sends nothing is forgotten after this.
    private static let memory = Duration.seconds(30)
    /// Of a host that is quick it is remembered for longer: among its tenant's it is nothing new then.
    private static let memoryOfHosts = Duration.seconds(600)
    /// Unless there are so many hosts.
    private static let hostsRemembered = 10_000
    private static let longestPutOff = Duration.seconds(60)
    /// How many urgent messages of a tenant may go to hosts that are not known to be quick where its others have taken all places: who has
    /// many devices on hosts that hang is not to keep an alarm from a new one.
    private static let keptForUrgent = 2

    private let capacity: Int
    private let most: Int
    private var routes: [Int: Route] = [:]
    private var hosts: [Destination: Host] = [:]
    private var forgotAt: ContinuousClock.Instant?
    private var position = 0
    private var turn = false
    /// Whether the last claim left out those who are not known to be quick, for want of room.
    private var leavesOut = false

    /// How many messages are under way.
    private(set) var inFlight = 0
    /// How many of them go to somebody who is not known to be quick.
    private(set) var doubtful = 0
    /// Whether somebody who was held back at the last claim has room again.
    private(set) var hasRoomAgain = false

    /// Limits of a channel on which `capacity` messages may be under way, and of one tenant at most `most` of them; without that three
    /// quarters.
    init(capacity: Int, most: Int? = nil) {
        self.capacity = capacity
        self.most = most ?? capacity * 3 / 4
    }

    /// What may be claimed now; nil where there is no room.
    mutating func claim(at now: ContinuousClock.Instant) -> Claim? {
        let room = capacity - inFlight
        hasRoomAgain = false
        guard room > 0 else { return nil }
        forget(at: now)
        // Where those in doubt have little left of their half, every other claim is for the quick ones alone: together they would be
        // given too little at a time.
        let doubt = max(0, capacity / 2 - doubtful)
        let hasQuick = routes.values.contains { $0.isQuick }
        turn.toggle()
        leavesOut = doubt == 0 || (hasQuick && doubt < min(room, capacity / 4) && turn)
        var tenants: [Int] = []
        var rooms: [Int] = []
        for (tenant, route) in routes.sorted(by: { $0.key < $1.key }) {
            let room = leavesOut && !route.isQuick ? 0 : route.room(at: now)
            routes[tenant]?.isHeldBack = route.limit.value <= route.counted
            tenants.append(tenant)
            rooms.append(room)
        }
        guard !leavesOut || hasQuick else { return nil }
        return Claim(
            batch: leavesOut ? room : min(room, doubt), share: leavesOut ? 0 : RouteLimit.first, after: position,
            tenants: tenants, room: rooms, isForTheQuick: leavesOut && doubt > 0)
    }

    /// These messages were claimed. Those that are under way now have a nil in the answer; the others have no room where they go, and are to
    /// be put off for so long.
    mutating func begin(_ candidates: [Candidate], at now: ContinuousClock.Instant) -> [Duration?] {
        let waits = candidates.map { begin($0.destination, isUrgent: $0.isUrgent, at: now) }
        // Where the claim came to in its round: the farthest behind where it began.
        let tenants = candidates.map(\.destination.tenant)
        let behind = tenants.filter { $0 > position }
        if let last = tenants.count > behind.count ? tenants.filter({ $0 <= position }).max() : behind.max() {
            position = last
        }
        return waits
    }

    private mutating func begin(
        _ destination: Destination, isUrgent: Bool, at now: ContinuousClock.Instant
    ) -> Duration? {
        var route =
            routes[destination.tenant]
            ?? Route(limit: RouteLimit(most: most), slow: RouteLimit(most: min(most, capacity / 8)), usedAt: now)
        defer { routes[destination.tenant] = route }
        route.usedAt = now
        var isQuick = route.isQuick
        if destination.host != nil {
            var host = hosts[destination] ?? Host(putOffUntil: now, usedAt: now)
            defer { hosts[destination] = host }
            host.usedAt = now
            let mostDoubtful = route.mostDoubtful + (isUrgent ? Self.keptForUrgent : 0)
            let hasRoom = host.isQuick || route.doubtful < mostDoubtful && doubtful < max(1, capacity / 2)
            guard hasRoom, host.breaker.room(at: now) > 0 else { return host.putOff(at: now) }
            host.inFlight += 1
            host.breaker.begin()
            isQuick = host.isQuick
            route.doubtful += isQuick ? 0 : 1
        } else {
            route.direct += 1
        }
        route.inFlight += 1
        route.breaker.begin()
        inFlight += 1
        doubtful += isQuick ? 0 : 1
        return nil
    }

    /// A message that was begun at `began` is no longer under way. The answer says which breakers changed by it.
    mutating func end(
        _ destination: Destination, _ verdict: Verdict, began: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> [Change] {
        guard var route = routes[destination.tenant], route.inFlight > 0 else { return [] }
        var changes: [Change] = []
        let wasClosed = route.breaker.isClosed
        let wasQuick = route.isQuick
        let isInTime = now - began < RouteLimit.slowThreshold
        switch verdict {
        case .works:
            route.breaker.succeed()
            route.limit.succeed(inFlight: route.inFlight)
            // A slow host is no slow tenant.
            route.isQuick = isInTime || route.isQuick && destination.host != nil
        case .fails(let pause):
            route.breaker.fail(at: now, pause: pause)
            route.limit.fail(began: began, at: now)
            route.isQuick = false
        case .hostFails, .unknown:
            route.breaker.release(at: now)
        }
        inFlight -= 1
        // Those of it that are still under way change sides with it.
        doubtful -= wasQuick ? 0 : route.direct
        route.direct -= destination.host == nil ? 1 : 0
        doubtful += route.isQuick ? 0 : route.direct
        if destination.host != nil { endAtHost(destination, of: &route, verdict, &changes, began: began, at: now) }
        route.inFlight -= 1
        route.usedAt = now
        routes[destination.tenant] = route
        if route.isHeldBack, route.counted <= route.limit.value * 3 / 4 { hasRoomAgain = true }
        if leavesOut, doubtful <= capacity * 3 / 8 { hasRoomAgain = true }
        if wasClosed != route.breaker.isClosed { changes.append(wasClosed ? .opened : .closed) }
        return changes
    }

    /// Notes what an attempt says of a host, and how many are in doubt after that.
    private mutating func endAtHost(
        _ destination: Destination, of route: inout Route, _ verdict: Verdict, _ changes: inout [Change],
        began: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) {
        guard var host = hosts[destination], host.inFlight > 0 else { return }
        let wasClosed = host.breaker.isClosed
        let wasQuick = host.isQuick
        switch verdict {
        case .works:
            host.breaker.succeed()
            host.isQuick = now - began < RouteLimit.slowThreshold
            host.isKnown = true
            if host.isQuick { host.putOffUntil = now }
            if !wasQuick { route.slow.succeed(inFlight: route.doubtful) }
        case .hostFails(let pause):
            host.breaker.fail(at: now, pause: pause)
            host.isQuick = false
            host.isKnown = true
            route.slow.fail(began: began, at: now)
        case .fails, .unknown:
            host.breaker.release(at: now)
        }
        host.inFlight -= 1
        host.usedAt = now
        hosts[destination] = host
        let change = (host.isQuick ? 0 : host.inFlight) - (wasQuick ? 0 : host.inFlight + 1)
        doubtful += change
        route.doubtful += change
        if wasClosed != host.breaker.isClosed { changes.append(wasClosed ? .hostOpened : .hostClosed) }
    }

    private mutating func forget(at now: ContinuousClock.Instant) {
        func isRemembered(_ breaker: CircuitBreaker, _ rest: Duration, _ memory: Duration) -> Bool {
            rest < (breaker.isClosed ? memory : CircuitBreaker.longestWait * 2)
        }
        routes = routes.filter { _, route in
            route.inFlight > 0 || isRemembered(route.breaker, now - route.usedAt, Self.memory)
        }
        // They may be many, and a claim is to be quick.
        if let forgotAt, now - forgotAt < .seconds(5) { return }
        forgotAt = now
        let memory = hosts.count > Self.hostsRemembered ? Self.memory : Self.memoryOfHosts
        hosts = hosts.filter { destination, host in
            host.inFlight > 0
                || isRemembered(host.breaker, now - host.usedAt, host.isQuick ? memory : Self.memory)
        }
    }
}
