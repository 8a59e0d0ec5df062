internal import Delivery

/// Decides how many messages of each tenant may be in flight on a channel, so that a slow or dead provider delays only
/// its own tenant.
///
/// Each tenant has its own limit and its own circuit breaker. Tenants that are not known to be quick (new, slow or
/// failing) share half of the channel's capacity. The other half is always available to the quick ones.
///
/// Where users or tenants choose the hosts that messages go to, each host of a tenant is judged separately in the same
/// way. The hosts of a tenant that are not known to be quick have one shared limit besides the tenant's. It starts at
/// half the tenant's limit, grows while they answer (even slowly), and is at most half the channel. A failing host says
/// nothing about its tenant. The host is known only after a claim. A message whose host has no capacity is therefore
/// put off, and leaves the capacity to others.
struct DeliveryLimits {
    /// The destination of a message.
    struct Destination: Hashable {
        let tenant: Int
        /// The host, where the tenant alone does not choose it; nil for the tenant's provider.
        var host: String?
    }

    /// The bounds of one claim.
    struct Claim: Equatable {
        /// The number of messages in all.
        let batch: Int
        /// The number of messages of each tenant that is not in `tenants`.
        let share: Int
        /// The claim begins with the tenants after this one.
        let after: Int
        /// The tenants whose bound differs from `share`. `room` holds their bounds, in the same order.
        let tenants: [Int]
        let room: [Int]
        /// Whether only quick tenants may have messages in this claim, although the others have capacity too. The next
        /// claim includes those.
        let isForQuickTenants: Bool
    }

    /// The evidence that an attempt gives about the provider.
    enum Verdict: Equatable {
        /// It answered, even if it refused this message.
        case works
        /// It did not answer, or it could not accept anything. `pause` is the delay that it asked for.
        case fails(pause: Duration?)
        /// The same for the host alone, which says nothing about the tenant.
        case hostFails(pause: Duration?)
        /// The attempt never reached the provider.
        case unknown

        /// The verdict that follows from a failure to send to `destination`.
        init(_ error: DeliveryError, to destination: Destination) {
            guard case .retry(let pause) = error.kind else {
                self = .works
                return
            }
            if destination.host == nil {
                self = .fails(pause: pause)
            } else {
                self = error.concernsMessageAlone ? .works : .hostFails(pause: pause)
            }
        }
    }

    /// How an attempt changed the breaker of a tenant or a host.
    enum Change: Equatable {
        case opened, closed, hostOpened, hostClosed
    }

    /// A claimed message.
    struct Candidate {
        let destination: Destination
        /// Whether the message may use the places that are reserved for urgent messages while hosts hang.
        var isUrgent = false
    }

    private struct Route {
        var limit: RouteLimit
        var breaker = CircuitBreaker()
        var inFlight = 0
        /// How many of the messages in flight go through the tenant's provider rather than to a host.
        var direct = 0
        /// How many of the messages in flight go to hosts that are not known to be quick.
        var doubtful = 0
        /// Whether the last attempt was answered in time.
        var isQuick = false
        /// The bound for hosts that are not known to be quick. It grows while they answer, even if slowly.
        var slow: RouteLimit
        /// Whether only its limit kept the tenant from getting more at the last claim.
        var isHeldBack = false
        var usedAt: ContinuousClock.Instant

        /// How many messages count towards the limit. Hosts that hang have a bound of their own, so that they do not
        /// use up the tenant's limit.
        var counted: Int { inFlight - doubtful }
        var mostDoubtful: Int { max(RouteLimit.first, slow.value, limit.value / 2) }

        func room(at now: ContinuousClock.Instant) -> Int {
            max(0, min(limit.value - counted, breaker.room(at: now)))
        }
    }

    private struct Host {
        var breaker = CircuitBreaker()
        var inFlight = 0
        /// Whether the last attempt was answered in time.
        var isQuick = false
        /// Whether the host has ever answered or failed.
        var isKnown = false
        /// The time until which the message that was put off last waits.
        var putOffUntil: ContinuousClock.Instant
        var usedAt: ContinuousClock.Instant

        /// Returns how long a message is put off for which there is no capacity now. Each message is put off a little
        /// longer than the one before, so that they come back evenly and are not all claimed again and again. A wait
        /// beyond the longest starts over at the front.
        mutating func putOff(at now: ContinuousClock.Instant) -> Duration {
            let first = max(breaker.wait(at: now), .seconds(1))
            // Most hosts are quick, and the first answer shows it.
            guard isKnown else { return first }
            putOffUntil = max(putOffUntil + RouteLimit.slowThreshold / RouteLimit.first, now + first)
            if putOffUntil > now + DeliveryLimits.longestPutOff { putOffUntil = now + first }
            return putOffUntil - now
        }
    }

    /// How long a tenant that sends nothing is remembered.
    private static let memory = Duration.seconds(30)
    /// How long a quick host is remembered. Longer, so that it does not count as new the next time its tenant uses it.
    private static let memoryOfHosts = Duration.seconds(600)
    /// Above this number of hosts, quick hosts too are remembered only for ``memory``.
    private static let hostsRemembered = 10_000
    private static let longestPutOff = Duration.seconds(60)
    /// How many more urgent messages of a tenant may go to hosts that are not known to be quick when other messages
    /// have taken all places. Without them, a user with many devices on hosts that hang could keep an alarm from
    /// reaching a new device.
    private static let keptForUrgent = 2

    private let capacity: Int
    private let most: Int
    private var routes: [Int: Route] = [:]
    private var hosts: [Destination: Host] = [:]
    private var forgotAt: ContinuousClock.Instant?
    private var position = 0
    private var turn = false
    /// Whether the last claim left out the tenants that are not known to be quick, for lack of capacity.
    private var excludesDoubtful = false

    /// How many messages are in flight.
    private(set) var inFlight = 0
    /// How many of the messages in flight go to destinations that are not known to be quick.
    private(set) var doubtful = 0
    /// Whether a tenant that was held back at the last claim has capacity again.
    private(set) var hasRoomAgain = false

    /// Creates limits for a channel with `capacity` messages in flight. One tenant may have at most `most` of them, by
    /// default three quarters.
    init(capacity: Int, most: Int? = nil) {
        self.capacity = capacity
        self.most = most ?? capacity * 3 / 4
    }

    /// The tenants whose provider is sent nothing now, because it accepts nothing.
    func paused(at now: ContinuousClock.Instant) -> [Int] {
        routes.filter { !$0.value.breaker.isClosed && $0.value.breaker.room(at: now) == 0 }.keys.sorted()
    }

    /// For how long the tenant's provider is sent nothing; nil while it accepts messages.
    func pause(of tenant: Int, at now: ContinuousClock.Instant) -> Duration? {
        guard let breaker = routes[tenant]?.breaker, !breaker.isClosed else { return nil }
        return breaker.wait(at: now)
    }

    /// Lets the next attempt through the tenant's provider begin now, because somebody has seen that it works.
    mutating func tryNow(_ tenant: Int, at now: ContinuousClock.Instant) {
        routes[tenant]?.breaker.tryNow(at: now)
    }

    /// Returns the bounds of the next claim; nil when there is no capacity.
    mutating func claim(at now: ContinuousClock.Instant) -> Claim? {
        let room = capacity - inFlight
        hasRoomAgain = false
        guard room > 0 else { return nil }
        forget(at: now)
        // When the doubtful tenants have little left of their half, every other claim is for the quick tenants alone. A
        // joint claim would be too small for those.
        let doubt = max(0, capacity / 2 - doubtful)
        let hasQuick = routes.values.contains { $0.isQuick }
        turn.toggle()
        excludesDoubtful = doubt == 0 || (hasQuick && doubt < min(room, capacity / 4) && turn)
        var tenants: [Int] = []
        var rooms: [Int] = []
        for (tenant, route) in routes.sorted(by: { $0.key < $1.key }) {
            let room = excludesDoubtful && !route.isQuick ? 0 : route.room(at: now)
            routes[tenant]?.isHeldBack = route.limit.value <= route.counted
            tenants.append(tenant)
            rooms.append(room)
        }
        guard !excludesDoubtful || hasQuick else { return nil }
        return Claim(
            batch: excludesDoubtful ? room : min(room, doubt), share: excludesDoubtful ? 0 : RouteLimit.first,
            after: position,
            tenants: tenants, room: rooms, isForQuickTenants: excludesDoubtful && doubt > 0)
    }

    /// Records claimed messages. The answer holds nil for each message that is now in flight. The others have no
    /// capacity at their destination; for those it holds the time to put them off for.
    mutating func begin(_ candidates: [Candidate], at now: ContinuousClock.Instant) -> [Duration?] {
        let waits = candidates.map { begin($0.destination, isUrgent: $0.isUrgent, at: now) }
        // Move the round-robin position to the last tenant that the claim reached, taking wrap-around into account.
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

    /// Records that a message that began at `began` is no longer in flight. Returns the breakers that changed.
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
            // A slow host does not make its tenant slow.
            route.isQuick = isInTime || route.isQuick && destination.host != nil
        case .fails(let pause):
            route.breaker.fail(at: now, pause: pause)
            route.limit.fail(began: began, at: now)
            route.isQuick = false
        case .hostFails, .unknown:
            route.breaker.release(at: now)
        }
        inFlight -= 1
        // When a tenant becomes quick or stops being quick, its other messages in flight are counted on the other side.
        doubtful -= wasQuick ? 0 : route.direct
        route.direct -= destination.host == nil ? 1 : 0
        doubtful += route.isQuick ? 0 : route.direct
        if destination.host != nil { endAtHost(destination, of: &route, verdict, &changes, began: began, at: now) }
        route.inFlight -= 1
        route.usedAt = now
        routes[destination.tenant] = route
        if route.isHeldBack, route.counted <= route.limit.value * 3 / 4 { hasRoomAgain = true }
        if excludesDoubtful, doubtful <= capacity * 3 / 8 { hasRoomAgain = true }
        if wasClosed != route.breaker.isClosed { changes.append(wasClosed ? .opened : .closed) }
        return changes
    }

    /// Records what an attempt shows about its host, and adjusts the counts of doubtful messages.
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
        // There may be many hosts, and a claim must be quick.
        if let forgotAt, now - forgotAt < .seconds(5) { return }
        forgotAt = now
        let memory = hosts.count > Self.hostsRemembered ? Self.memory : Self.memoryOfHosts
        hosts = hosts.filter { destination, host in
            host.inFlight > 0
                || isRemembered(host.breaker, now - host.usedAt, host.isQuick ? memory : Self.memory)
        }
    }
}
