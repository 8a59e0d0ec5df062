internal import Delivery

/// How much of whose messages may be under way on a channel, so that a provider that is slow or dead holds up only the tenant whose it is.
///
/// Each tenant has a limit of its own and a circuit breaker. Whoever is not known to be quick (new, slow, or failing) shares half of the
/// channel's room with the others of that kind, so the other half is always there for those who are.
struct DeliveryLimits {
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
        /// The attempt never reached it.
        case unknown

        /// What a failure on `channel` says about the tenant's provider.
        init(_ error: DeliveryError, on channel: String) {
            // A push to a browser goes where its user's device says. One user could otherwise stop all of the tenant's with an address that
            // answers 429; what a device does is that delivery's alone, which is tried again later and later.
            if channel != "web_push", case .retry(let pause) = error.kind {
                self = .fails(pause: pause)
            } else {
                self = .works
            }
        }
    }

    /// What became of a tenant's breaker by an attempt.
    enum Change: Equatable {
        case opened, closed
    }

    private struct Route {
        var limit: RouteLimit
        var breaker = CircuitBreaker()
        var underWay = 0
        /// Whether the last attempt was answered, and in time.
        var isQuick = false
        /// Whether it could have had more at the last claim but for its limit.
        var isHeldBack = false
        var usedAt: ContinuousClock.Instant

        func room(at now: ContinuousClock.Instant) -> Int {
            max(0, min(limit.value - underWay, breaker.room(at: now)))
        }
    }

    /// What is known of somebody who sends nothing is forgotten after this.
    private static let memory = Duration.seconds(30)

    private let capacity: Int
    private var routes: [Int: Route] = [:]
    private var position = 0
    private var turn = false
    /// Whether the last claim left out those who are not known to be quick, for want of room.
    private var leavesOut = false

    /// How many messages are under way.
    private(set) var underWay = 0
    /// How many of them belong to tenants who are not known to be quick.
    private var doubtful = 0
    /// Whether somebody who was held back at the last claim has room again.
    private(set) var hasRoomAgain = false

    /// Limits of a channel on which `capacity` messages may be under way.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// What may be claimed now; nil where there is no room.
    mutating func claim(at now: ContinuousClock.Instant) -> Claim? {
        let room = capacity - underWay
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
            routes[tenant]?.isHeldBack = route.limit.value <= route.underWay
            tenants.append(tenant)
            rooms.append(room)
        }
        guard !leavesOut || hasQuick else { return nil }
        return Claim(
            batch: leavesOut ? room : min(room, doubt), share: leavesOut ? 0 : RouteLimit.first, after: position,
            tenants: tenants, room: rooms, isForTheQuick: leavesOut && doubt > 0)
    }

    /// Messages of these tenants were claimed, one entry a message, and are under way.
    mutating func begin(_ tenants: [Int], at now: ContinuousClock.Instant) {
        for tenant in tenants {
            var route = routes[tenant] ?? Route(limit: RouteLimit(most: capacity * 3 / 4), usedAt: now)
            route.underWay += 1
            route.usedAt = now
            route.breaker.begin()
            routes[tenant] = route
            underWay += 1
            if !route.isQuick { doubtful += 1 }
        }
        // Where the claim came to in its round: the farthest behind where it began.
        let behind = tenants.filter { $0 > position }
        if let last = tenants.count > behind.count ? tenants.filter({ $0 <= position }).max() : behind.max() {
            position = last
        }
    }

    /// A message of `tenant` that was begun at `began` is no longer under way.
    mutating func end(
        _ tenant: Int, _ verdict: Verdict, began: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) -> Change? {
        guard var route = routes[tenant], route.underWay > 0 else { return nil }
        let wasClosed = route.breaker.isClosed
        let wasQuick = route.isQuick
        switch verdict {
        case .works:
            route.breaker.succeed()
            route.limit.succeed(underWay: route.underWay)
            route.isQuick = now - began < RouteLimit.patience
        case .fails(let pause):
            route.breaker.fail(at: now, pause: pause)
            route.limit.fail(began: began, at: now)
            route.isQuick = false
        case .unknown:
            route.breaker.release(at: now)
        }
        underWay -= 1
        // Those of it that are still under way change sides with it.
        doubtful += (route.isQuick ? 0 : route.underWay - 1) - (wasQuick ? 0 : route.underWay)
        route.underWay -= 1
        route.usedAt = now
        routes[tenant] = route
        if route.isHeldBack, route.underWay <= route.limit.value * 3 / 4 { hasRoomAgain = true }
        if leavesOut, doubtful <= capacity * 3 / 8 { hasRoomAgain = true }
        guard wasClosed != route.breaker.isClosed else { return nil }
        return wasClosed ? .opened : .closed
    }

    private mutating func forget(at now: ContinuousClock.Instant) {
        routes = routes.filter { _, route in
            route.underWay > 0 || now - route.usedAt < Self.memory
                || (!route.breaker.isClosed && now - route.usedAt < CircuitBreaker.longestWait * 2)
        }
    }
}
